import Glibc
import System

/// A program that is stopped at one of its system calls.
///
/// strace(1), `-e inject=CALL:signal=KILL:when=N`: the call itself is not carried out.
public struct StoppedProgram {
  /// The injection at a call.
  public enum Injection: String, CaseIterable, Sendable {
    case kill = "signal=KILL"
    case noSpace = "error=ENOSPC"
    case ioError = "error=EIO"
  }

  /// A run in which nothing was injected, and which did not do its work.
  public struct Unfinished: Error {
    let status: ProcessEnd
    let lines: [String]
  }

  private let path: String
  private let arguments: [String]
  private let base: String
  private let refusal: String

  /// A program in the directory of the test's own, with the directory of the trace and of the
  /// report.
  ///
  /// `refusal` is the report of a run that found the vault open in another process. A task may
  /// still have a vault that the test has dropped. The test repeats such a run for up to two
  /// minutes.
  public init(_ name: String, _ arguments: [String], base: String, refusal: String) throws {
    path = try ThisProcess.programDirectory() + "/" + name
    self.arguments = arguments
    self.base = base
    self.refusal = refusal
  }

  /// Runs the program with an injection at call number `number`.
  ///
  /// The lines that it reported, or `nil` if it did all its work before that call.
  ///
  /// - Throws: `Unfinished` if nothing was injected, and the program failed all the same.
  public func stopped(at call: String, _ number: Int, _ injection: Injection) throws -> [String]? {
    let end = BootInstant.now.advanced(bySeconds: 120)
    while true {
      let (isInjected, status, lines) = try run(call, number, injection)
      if isInjected { return lines }
      if lines == [refusal], BootInstant.now < end {
        pauseBriefly()
        continue
      }
      guard status == .exited(0), !lines.contains(where: { $0.hasPrefix("error ") }) else {
        throw Unfinished(status: status, lines: lines)
      }
      return nil
    }
  }

  private func run(
    _ call: String,
    _ number: Int,
    _ injection: Injection
  ) throws -> (isInjected: Bool, status: ProcessEnd, lines: [String]) {
    let (trace, reported) = (base + "/trace", base + "/report")
    let report = unsafe Glibc.open(reported, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard report >= 0 else { throw SystemError("open", code: errno) }
    let descriptor = Descriptor(owning: report)
    let status = try ChildProcess(
      path: "/usr/bin/strace",
      // With --seccomp-bpf strace is three times as fast, but version 6.1 then injects no signal.
      arguments: (injection == .kill ? [] : ["--seccomp-bpf"]) + [
        "-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e",
        "inject=\(call):\(injection.rawValue):when=\(number)", path,
      ] + arguments,
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, descriptor.number, -1]
    ).wait()
    let directory = try Directory(path: base)
    func text(_ name: String) throws -> String {
      String(decoding: try directory.openForReading(name).readAll(limit: 1 << 24), as: UTF8.self)
    }
    let traced = try text("trace")
    return (
      traced.contains("(INJECTED)") || traced.contains("killed by SIGKILL"), status,
      try text("report").split(separator: "\n").map(String.init)
    )
  }
}
