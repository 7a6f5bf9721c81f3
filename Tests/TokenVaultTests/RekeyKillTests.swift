import Cryptography
import Glibc
import Storage
import System
import Testing

@testable import TokenVault

/// A rekey is stopped at each of its calls in turn, by a kill or an error of the kernel's, and the
/// vault is opened again: everything opens, under the old secret or the new one, and what is left
/// of the other is nothing.
///
/// strace(1), `-e inject=CALL:signal=KILL:when=N`: the call itself is not carried out.
@Suite(.timeLimit(.minutes(20)), .serialized)
struct RekeyKillTests {
  private static let writer = (try? ThisProcess.programDirectory() + "/KeyWriter") ?? ""

  /// What is done to a call.
  enum Injection: String {
    case kill = "signal=KILL"
    case noSpace = "error=ENOSPC"
    case ioError = "error=EIO"
  }

  /// Runs the writer with the call number `number` injected; nil if it did not get that far.
  private func rekey(
    _ bench: Bench,
    _ call: String,
    _ number: Int,
    _ injection: Injection
  ) throws -> [String]? {
    let (trace, said) = (bench.scratch.base + "/trace", bench.scratch.base + "/report")
    let report = unsafe Glibc.open(said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard report >= 0 else { throw SystemError("open", code: errno) }
    let descriptor = Descriptor(owning: report)
    _ = try ChildProcess(
      path: "/usr/bin/strace",
      // With --seccomp-bpf it is three times as fast, but then (6.1) it injects no signal.
      arguments: (injection == .kill ? [] : ["--seccomp-bpf"]) + [
        "-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e",
        "inject=\(call):\(injection.rawValue):when=\(number)", Self.writer, bench.scratch.path,
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

  private func judge(_ bench: Bench, _ lines: [String], _ old: [[UInt8]]) async throws {
    let secret = try #require(old.last)
    var vault: Vault? = try await bench.open()
    if let vault {
      #expect(await vault.standing == .current)
      let files = try bench.scratch.files()
      #expect(files["device-secret.next"] == nil)
      if files["device-secret"] == secret {
        #expect(!lines.contains("done"))
      } else {
        #expect(try bench.filesHolding(old) == [])
      }
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.sentToken("work", bench).contains("rt-work"))
      #expect(try await vault.loadedPrints().count == 1)
      #expect(try await vault.verifyTrail().isWhole)
      // And the next one.
      try await bench.rekey(vault)
      #expect(try bench.filesHolding(old) == [])
    }
    vault = nil
    #expect(try await bench.open().standing == .current)
  }

  @Test(arguments: [
    ("write", Injection.kill), ("pwrite64", .kill), ("fsync", .kill), ("fdatasync", .kill),
    ("ftruncate", .kill), ("unlinkat", .kill), ("renameat", .kill), ("openat2", .kill),
    ("pwrite64", .noSpace), ("write", .noSpace), ("fsync", .ioError), ("fdatasync", .ioError),
    ("renameat", .ioError), ("ftruncate", .ioError),
  ])
  func aStopAtAnyCallLosesNothingAndLeavesNothing(
    _ call: String,
    _ injection: Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    let old = try await made.sealedBytes()
    var stops = 0
    while true {
      let bench = try made.snapshot()
      guard let lines = try rekey(bench, call, stops + 1, injection) else {
        // Without a stop it is done.
        #expect(try bench.filesHolding(old) == [])
        break
      }
      stops += 1
      try await judge(bench, lines, old)
    }
    // That the injection meets the writer at all.
    if call != "unlinkat" { #expect(stops > 0) }
  }
}
