import Glibc
import System

/// A `thumblatchd --private`, started as a client starts it.
final class EngineProcess {
  /// The report of the engine before it serves.
  enum Report: Equatable {
    /// The engine listens.
    case listening
    /// The engine cannot serve, and why.
    case refused(String)
    /// The engine ended without a report: another engine has the vault.
    case silent
  }

  let child: ChildProcess
  let report: Report
  private var hasEnded = false

  var identifier: Int32 { child.identifier }

  /// Starts the program on a state directory and waits for its report.
  ///
  /// `errors` becomes its standard error.
  init(
    _ program: String,
    state: String,
    backtrace: String = "enable=no",
    errors: Int32 = -1
  ) throws {
    let directory = try EngineProcess.open(state)
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: program,
      arguments: ["--private"],
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=" + backtrace],
      descriptors: [-1, -1, errors, directory.number, theirs.number],
      newSession: true
    )
    _ = consume theirs
    report = try Self.read(ours)
  }

  deinit {
    if !hasEnded { kill() }
  }

  /// Ends the engine as a power cut would, and waits until the process is gone.
  func kill() {
    child.kill()
    _ = end()
  }

  /// Asks the engine to end, and waits until it has.
  func stop() -> ProcessEnd? {
    child.send(signal: SIGTERM)
    return end()
  }

  /// Waits for the end of the engine.
  func end() -> ProcessEnd? {
    hasEnded = true
    return try? child.wait()
  }

  /// Follows a symbolic link, as the shell of the person who sets the variable would.
  private static func open(_ path: String) throws -> Descriptor {
    let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
    return Descriptor(owning: number)
  }

  private static func read(_ pipe: borrowing Descriptor) throws -> Report {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes != [UInt8(ascii: "L")], byte != UInt8(ascii: "\n") {
      guard try pipe.waitReadable(milliseconds: 120_000) else {
        throw SystemError("thumblatchd", code: ETIMEDOUT)
      }
      let count = unsafe try withUnsafeMutableBytes(of: &byte) { unsafe try pipe.read(into: $0) }
      if count == 0 { break }
      bytes.append(byte)
    }
    switch bytes.first {
    case nil: return .silent
    case UInt8(ascii: "L"): return .listening
    default: return .refused(String(decoding: bytes, as: UTF8.self))
    }
  }
}
