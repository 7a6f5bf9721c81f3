import Glibc
import Synchronization
import System
import TestSupport
import Testing

/// The programs in one directory, as they are installed, but with virtual fingerprint readers.
///
/// They are the ones that were built last: by `Scripts/build`, or together with the tests. With
/// `THUMBLATCH_TEST_RELEASED`, which `Scripts/test` sets, they are the released ones, and the tests
/// fail if a source has changed since.
enum Programs {
  private static let names = [
    "thumblatch", "thumblatch-cli", "thumblatchd", "thumblatch-exchange", "thumblatch-desktop",
  ]
  /// The programs that are built with virtual devices too.
  private static let virtual = ["thumblatch-presence", "thumblatch-secret"]
  /// The names by which other tools call the program.
  private static let helpers = [
    "git-credential-thumblatch", "docker-credential-thumblatch", "cargo-credential-thumblatch",
    "bazel-credential-thumblatch", "terraform-credentials-thumblatch",
  ]

  /// A directory for files that are made once in a run.
  ///
  /// It is removed at the end.
  static let scratch = Result {
    let directory = try makeTemporaryDirectory()
    atexit { Programs.remove() }
    return directory
  }

  /// Each test makes hard links to it.
  private static let shared = Result { try assemble() }

  /// Puts the programs into a new directory `directory`.
  static func install(in directory: String) throws {
    try shell("cp -al \(try shared.get()) \(directory)")
  }

  private static func assemble() throws -> String {
    let directory = try scratch.get() + "/programs"
    let sources = BuiltPrograms.sourceDirectory
    let released = sources + "/.build/thumblatch/virtual"
    let built = BuiltPrograms.directory
    let mustBeReleased = ThisProcess.environment("THUMBLATCH_TEST_RELEASED") ?? ""
    let pam = sources + "/Sources/Installed/etc/pam.d/thumblatch"
    try shell(
      """
      umask 022
      mkdir \(directory)
      cd \(built)
      if [ -n "\(mustBeReleased)" ]; then
        set -- \(sources)/Package.swift $(find \(sources)/Sources \
          -name '*.swift' -o -name '*.[ch]' -o -name '*.varlink' -o -name '*.ui')
      else
        set -- \(names.joined(separator: " ")) \
          \(virtual.map { $0 + "-virtual" }.joined(separator: " "))
      fi
      newer=$(find "$@" -newer \(released)/thumblatchd 2>&1 || echo none)
      if [ -z "$newer" ]; then
        cp -r \(released)/. \(directory)
      elif [ -n "\(mustBeReleased)" ]; then
        echo "THUMBLATCH_TEST_RELEASED is set: run Scripts/package, which is older than" $newer >&2
        exit 1
      else
        for name in \(names.joined(separator: " ")); do
          install -m 755 \(built)/$name \(directory)/$name
        done
        for name in \(virtual.joined(separator: " ")); do
          install -m 755 \(built)/$name-virtual \(directory)/$name
        done
        mkdir \(directory)/pam.d
        install -m 644 \(pam) \(directory)/pam.d/thumblatch
      fi
      for name in \(helpers.joined(separator: " ")); do
        ln -sf thumblatch \(directory)/$name
      done
      chmod 755 \(directory)
      """
    )
    return directory
  }

  private static func remove() {
    guard let directory = try? scratch.get() else { return }
    _ = try? shell("rm -rf \(directory)")
  }
}

/// The output of a shell script.
///
/// Throws if it fails.
@discardableResult
func shell(_ script: String) throws -> String {
  let (text, end) = try output(of: "/bin/sh", ["-ec", script])
  guard end == .exited(0) else {
    throw SystemError("sh", code: ECHILD, subject: "\(end): \(script)\n\(text)")
  }
  return text
}

/// Waits until a server listens at a path: its socket has a name before that.
func awaitSocket(_ path: String) throws {
  let parts = path.split(separator: "/").map(String.init)
  let directory = "/" + parts.dropLast().joined(separator: "/")
  let name = try #require(parts.last)
  func isServed() -> Bool {
    do {
      _ = try UnixSocket.connect(in: Directory(path: directory), name: name, seconds: 1)
      return true
    } catch {
      return false
    }
  }
  try #require(eventually { isServed() })
}

/// The output of a Python program.
///
/// Throws if it fails.
@discardableResult
func python(_ program: String, _ arguments: String...) throws -> String {
  let path = "/usr/bin/python3"
  let (text, end) = try output(of: path, ["-c", program] + arguments)
  guard end == .exited(0) else {
    throw SystemError("python3", code: ECHILD, subject: "\(end): \(text)")
  }
  return text
}

/// The output of a program on both channels, and its exit status.
func output(
  of path: String,
  _ arguments: [String],
  environment: [String] = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
) throws -> (text: String, end: ProcessEnd) {
  let run = try Run(path, arguments, environment: environment)
  return (try run.text(), try run.child.wait())
}

/// A running program, with a pipe for its output.
final class Run {
  let child: ChildProcess
  private let output: Descriptor

  init(_ path: String, _ arguments: [String], environment: [String], input: Int32 = -1) throws {
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: path,
      arguments: arguments,
      environment: environment,
      descriptors: [input, theirs.number, theirs.number]
    )
  }

  /// Waits for the first output.
  func waitForOutput() throws {
    guard try output.waitReadable(milliseconds: 120_000) else {
      throw SystemError("read", code: ETIMEDOUT)
    }
  }

  /// All output, up to the end.
  func text() throws -> String {
    String(decoding: try output.readAll(limit: 1 << 24), as: UTF8.self)
  }
}

/// The processes that run a program of a directory.
func processes(in directory: String, named name: String? = nil) -> [Int32] {
  let names = (try? Directory(path: "/proc").names()) ?? []
  return names.compactMap { Int32($0) }.filter { process in
    guard let link = linkTarget("/proc/\(process)/exe") else { return false }
    // The suffix that proc_pid_exe(5) adds if the program was replaced in the meantime.
    let program = link.replacing(" (deleted)", with: "")
    if let name { return program == "\(directory)/\(name)" }
    return program.hasPrefix(directory + "/")
  }
}
