import Glibc
import System

/// A process that changes a vault, and is stopped at one of its system calls.
///
/// strace(1), `-e inject=CALL:signal=KILL:when=N`: the call itself is not carried out.
struct Writer {
  /// The injection at a call.
  enum Injection: String {
    case kill = "signal=KILL"
    case noSpace = "error=ENOSPC"
    case ioError = "error=EIO"
  }

  /// The change that the process makes.
  enum Deed: String {
    case rekey
    /// The account `work` gets the provider of `laterProvider`.
    case apply
  }

  private static let program = (try? ThisProcess.programDirectory() + "/KeyWriter") ?? ""

  private let bench: Bench
  private let deed: Deed

  init(_ bench: Bench, _ deed: Deed = .rekey) {
    self.bench = bench
    self.deed = deed
  }

  /// Runs the process with an injection at call number `number`.
  ///
  /// The lines that it wrote, or `nil` if it ended before that call.
  func stopped(at call: String, _ number: Int, _ injection: Injection) throws -> [String]? {
    let (trace, said) = (bench.scratch.base + "/trace", bench.scratch.base + "/report")
    let report = unsafe Glibc.open(said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard report >= 0 else { throw SystemError("open", code: errno) }
    let descriptor = Descriptor(owning: report)
    _ = try ChildProcess(
      path: "/usr/bin/strace",
      // With --seccomp-bpf strace is three times as fast, but version 6.1 then injects no signal.
      arguments: (injection == .kill ? [] : ["--seccomp-bpf"]) + [
        "-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e",
        "inject=\(call):\(injection.rawValue):when=\(number)", Self.program, bench.scratch.path,
        deed.rawValue,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, descriptor.number, -1]
    ).wait()
    let directory = try Directory(path: bench.scratch.base)
    func text(_ name: String) throws -> String {
      String(decoding: try directory.openForReading(name).readAll(limit: 1 << 24), as: UTF8.self)
    }
    let traced = try text("trace")
    let injected = traced.contains("(INJECTED)") || traced.contains("killed by SIGKILL")
    return injected ? try text("report").split(separator: "\n").map(String.init) : nil
  }
}
