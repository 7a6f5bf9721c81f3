import Glibc
import Storage
import System
import TestSupport
import Testing
import TokenFile

/// The built front in its own directory, next to a stand-in that shows its arguments.
final class FrontFixture {
  private let scratch: ScratchDirectory
  var root: String { scratch.path }
  /// Stays open for the life of the fixture, as an engine keeps it.
  ///
  /// If it were opened for each token, it could be locked: a child of another test holds a copy of
  /// the descriptor from fork to exec.
  private let directory: StateDirectory
  var program: String { root + "/bin/thumblatch" }
  var cli: String { root + "/bin/thumblatch-cli" }
  var state: String { root + "/state" }
  var tokenFile: String { state + "/tokens/work" }
  var environment: [String] { ["THUMBLATCH_STATE_DIR=\(state)", "PATH=/usr/bin:/bin"] }

  init() throws {
    scratch = try ScratchDirectory()
    let root = scratch.path
    directory = try StateDirectory(path: root + "/state")
    let source = BuiltPrograms.sourceDirectory
    try shell(
      """
      umask 022 && mkdir \(root)/bin
      install -m 755 '\(source)/.build/thumblatch/virtual/thumblatch' \(program)
      printf '%s\\n' '#!/bin/sh' 'echo cli' 'printf "%s\\n" "$@"' >\(cli) && chmod 755 \(cli)
      """
    )
    try writeToken(lifetime: 3600)
  }

  func writeToken(
    lifetime: Int64,
    bootLifetime: Int64? = nil,
    boot: BootIdentifier? = nil,
    isForAnyHost: Bool = false
  ) throws {
    let token = CachedToken(
      token: Array("the-token".utf8),
      wallExpiry: WallTime(seconds: WallTime.now.seconds + lifetime),
      boot: try boot ?? BootIdentifier.current(),
      bootExpiry: BootInstant.now.advanced(bySeconds: bootLifetime ?? lifetime),
      statedExpiry: WallTime(seconds: 1_790_000_000),
      isForAnyHost: isForAnyHost
    )
    try TokenFiles.write(try #require(token), account: "work", in: directory)
    try TokenFiles.setDefault(account: "work", in: directory)
  }

  struct Outcome: Equatable {
    let end: ProcessEnd
    let output: String
    let errors: String
  }

  /// Runs a program to its end, with files or the given descriptor as its output.
  @discardableResult
  func run(
    _ path: String,
    _ arguments: [String],
    environment: [String]? = nil,
    descriptor: Int32? = nil
  ) throws -> Outcome {
    let directory = try Directory(path: root)
    for name in ["out", "err"] { try directory.unlink(name) }
    let output = try directory.create("out")
    let errors = try directory.create("err")
    let child = try ChildProcess(
      path: path,
      arguments: arguments,
      environment: environment ?? self.environment,
      descriptors: [-1, descriptor ?? output.number, errors.number]
    )
    let end = try child.wait()
    return Outcome(
      end: end,
      output: String(
        decoding: try directory.openForReading("out").readAll(limit: 4 << 20),
        as: UTF8.self
      ),
      errors: String(
        decoding: try directory.openForReading("err").readAll(limit: 4 << 20),
        as: UTF8.self
      )
    )
  }

  /// Runs the front.
  func front(_ arguments: String...) throws -> Outcome { try run(program, arguments) }

  @discardableResult
  func shell(_ script: String) throws -> Outcome {
    let outcome = try run("/bin/sh", ["-ec", script])
    try #require(outcome.end == .exited(0), "\(outcome.errors)")
    return outcome
  }
}

func answered(_ output: String) -> FrontFixture.Outcome {
  FrontFixture.Outcome(end: .exited(0), output: output, errors: "")
}
