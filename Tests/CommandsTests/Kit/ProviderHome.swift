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
    [
      "XDG_CONFIG_HOME": path, "CLAUDE_CONFIG_DIR": path + "/claude",
      "CODEX_HOME": path + "/codex", "GH_CONFIG_DIR": path + "/gh", "XDG_DATA_HOME": path,
      "OIDC_CONFIG_DIR": path + "/oidc-agent",
    ]
  }
  var files: String { path + "/thumblatch/providers.d" }

  init() throws {
    scratch = try ScratchDirectory()
  }

  /// Writes a provider's file as an editor would.
  func write(_ text: String, _ name: String, mode: UInt32 = 0o600) throws {
    try write(text, name + ".conf", in: files, mode: mode)
  }

  /// Writes the file of the hosts that get a token.
  func writeHosts(_ text: String, mode: UInt32 = 0o600) throws {
    try write(text, "hosts.conf", in: path + "/thumblatch", mode: mode)
  }

  private func write(
    _ text: String,
    _ name: String,
    in folder: String,
    mode: UInt32 = 0o600
  ) throws {
    let directory = try Directory.make(path: folder)
    _ = try directory.unlink(name)
    try directory.create(name).write(text)
    guard unsafe chmod("\(folder)/\(name)", mode) == 0 else {
      throw SystemError("chmod", code: errno)
    }
  }

  /// Writes a settings file of another tool, such as `codex/config.toml`.
  func writeSettings(_ text: String, _ name: String) throws {
    let parts = name.split(separator: "/").map(String.init)
    try write(text, parts[1], in: "\(path)/\(parts[0])")
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
