import Glibc
package import System

/// A TPM of a test: swtpm, behind a terminal that `Tests/TPMTests/Bridge/bridge.py` makes.
///
/// The device of the TPM's library works on it unchanged. One conversation at a time may use it.
package final class SoftwareTPM {
  /// A command that failed.
  package struct Failure: Error, CustomStringConvertible {
    /// The failure, as text.
    package let description: String
  }

  /// The path of its device.
  package private(set) var device = ""
  private let directory: ScratchDirectory
  private let bridge: ChildProcess
  private var lines: LinePipe?
  private var isRemoved = false

  /// Starts a new TPM, which has its own storage key.
  package init() throws {
    directory = try ScratchDirectory()
    let (near, far) = try UnixSocket.pair()
    lines = LinePipe(Descriptor(owning: near))
    let theirs = Descriptor(owning: far)
    bridge = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: [
        BuiltPrograms.sourceDirectory + "/Tests/TPMTests/Bridge/bridge.py", directory.path,
        "--tap", directory.path + "/tap",
      ],
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    device = try line()
  }

  deinit {
    if !isRemoved { try? remove() }
  }

  /// Lets a user open its device.
  package func give(to user: UInt32) throws {
    guard unsafe chown(device, user, gid_t.max) == 0, unsafe chmod(device, 0o600) == 0 else {
      throw SystemError("chown", code: errno, subject: device)
    }
  }

  /// Stops it permanently: its device can no longer be opened.
  package func remove() throws {
    isRemoved = true
    lines = nil
    _ = try bridge.wait()
  }

  /// Gives the bridge a command, and returns its answer.
  @discardableResult
  package func command(_ text: String) throws -> String {
    try lines?.write(Array(text.utf8))
    return try line()
  }

  /// The next line of the bridge.
  package func line() throws -> String {
    guard let line = try lines?.readLine() else { throw Failure(description: "no bridge") }
    return line
  }

  /// All messages so far, as the client and the TPM have sent them.
  package func messages() throws -> [[UInt8]] {
    let file = try directory.open().openForReading("tap")
    let text = String(decoding: try file.readAll(limit: 1 << 24), as: UTF8.self)
    return text.split(separator: "\n").map { line in
      let digits = Array(line.dropFirst(2).utf8)
      return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      }
    }
  }

  /// Runs a program of tpm2-tools with this TPM, without the bridge, and flushes the objects that
  /// it has loaded.
  package func run(_ name: String, _ arguments: String...) throws {
    let end = try end(of: name, arguments)
    guard end == .exited(0) else { throw Failure(description: "\(name) \(arguments): \(end)") }
  }

  /// The end of the same program, if it may fail.
  package func end(of name: String, _ arguments: [String]) throws -> ProcessEnd {
    try command("left")
    let end = try runTool(name, arguments)
    _ = try runTool("tpm2_flushcontext", ["--transient-object"])
    return end
  }

  private func runTool(_ name: String, _ arguments: [String]) throws -> ProcessEnd {
    let tool = try ChildProcess(
      path: "/usr/bin/" + name,
      arguments: ["--tcti", "swtpm:path=\(directory.path)/tpm"] + arguments,
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TSS2_LOG=all+none"],
      descriptors: [-1, -1, -1]
    )
    return try tool.wait()
  }

  /// A path for files of the tools.
  package func path(_ name: String) -> String { directory.path + "/" + name }
}
