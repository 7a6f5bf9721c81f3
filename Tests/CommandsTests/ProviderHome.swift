import Glibc
import System
import TestSupport
import Testing

@testable import Commands

/// A person's provider files, removed with this object.
final class ProviderHome {
  private let scratch: ScratchDirectory
  var path: String { scratch.path }

  var environment: [String: String] {
    ["XDG_CONFIG_HOME": path, "CLAUDE_CONFIG_DIR": path + "/claude", "CODEX_HOME": path + "/codex"]
  }
  var files: String { path + "/thumblatch/providers.d" }

  init() throws {
    scratch = try ScratchDirectory()
  }

  /// Writes a provider's file as an editor would.
  func write(_ text: String, _ name: String, mode: UInt32 = 0o600) throws {
    let directory = try Directory.make(path: files)
    _ = try directory.unlink(name + ".conf")
    try directory.create(name + ".conf").write(text)
    guard unsafe chmod(files + "/\(name).conf", mode) == 0 else {
      throw SystemError("chmod", code: errno)
    }
  }

  /// Writes the file of the hosts that get a token.
  func writeHosts(_ text: String, mode: UInt32 = 0o600) throws {
    let directory = try Directory.make(path: path + "/thumblatch")
    _ = try directory.unlink("hosts.conf")
    try directory.create("hosts.conf").write(text)
    guard unsafe chmod(path + "/thumblatch/hosts.conf", mode) == 0 else {
      throw SystemError("chmod", code: errno)
    }
  }

  /// Writes a settings file of another tool, such as `codex/config.toml`.
  func writeSettings(_ text: String, _ name: String) throws {
    try writeSettings(Array(text.utf8), name)
  }

  func writeSettings(_ bytes: [UInt8], _ name: String) throws {
    let parts = name.split(separator: "/")
    let directory = try Directory.make(path: "\(path)/\(parts[0])")
    _ = try directory.unlink(String(parts[1]))
    try directory.create(String(parts[1])).write(bytes)
  }

  /// The text of a settings file; `nil` if there is none.
  func settings(_ name: String) -> String? {
    let file = try? Directory(path: path).openForReading(name)
    return (try? file?.readAll(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of a provider's file.
  func text(_ name: String) throws -> String {
    let file = try Directory(path: files).openForReading(name + ".conf")
    return String(decoding: try file.readAll(limit: 65_536), as: UTF8.self)
  }

  /// Runs a line that makes no call to the engine.
  func run(_ line: String) throws -> Play {
    try run(line) { stage in try stage.expectEnd() }
  }

  /// Runs a line.
  ///
  /// Words are separated by spaces, and `~` in a word stands for a space.
  func run(
    _ line: String,
    terminal: Bool = true,
    input: [UInt8]? = nil,
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let words = line.split(separator: " ").map { String($0).replacing("~", with: " ") }
    return try Play.run(
      words,
      terminal: terminal,
      input: input,
      environment: environment,
      script: script
    )
  }
}
