import Glibc
import System
import TestSupport
import Testing

/// A vault of one test.
///
/// Its programs and state lie in a directory that is removed with it, and so is every process that
/// was started from there.
final class TestVault {
  let base: String
  private(set) var engine: EngineProcess?

  var programs: String { base + "/bin" }
  var state: String { base + "/state" }

  /// An empty state directory without an engine.
  init() throws {
    base = try makeTemporaryDirectory()
    try shell("chmod 755 \(base) && mkdir -m 700 \(base)/state")
    try Programs.install(in: programs)
  }

  deinit {
    engine = nil
    for process in ["thumblatchd", "thumblatch-exchange", "thumblatch-presence"].flatMap(running) {
      kill(process, SIGKILL)
    }
    // MNT_DETACH. Fails if the test mounted nothing.
    _ = unsafe umount2(state, 2)
    _ = try? shell("rm -rf \(base)")
  }

  /// Starts an engine, which must become the one that serves.
  @discardableResult
  func start() throws -> EngineProcess {
    let started = try launchAlone()
    try #require(started.report == .listening)
    engine = started
    return started
  }

  /// Starts an engine when no other engine runs, with any outcome.
  ///
  /// An engine that is killed while it starts a helper leaves a child that holds the state lock
  /// until its exec. So a start that met a lock is tried again, as the client does.
  func launchAlone() throws -> EngineProcess {
    var started = try launch()
    let deadline = BootInstant.now.advanced(bySeconds: 120)
    while started.report == .silent, BootInstant.now < deadline {
      try #require(started.end() == .exited(0))
      _ = poll(nil, 0, 10)
      started = try launch()
    }
    return started
  }

  /// Starts an engine, with any outcome.
  func launch() throws -> EngineProcess {
    try EngineProcess(programs + "/thumblatchd", state: state)
  }

  /// A connection to the running engine.
  func connect() throws -> EngineConnection { try EngineConnection(state: state) }

  /// Ends the engine as a power cut would.
  func killEngine() {
    engine?.kill()
    engine = nil
  }

  /// Makes the engine end as it does when it is idle.
  func stopEngine() throws {
    try #require(engine?.stop() == .exited(0))
    engine = nil
  }

  /// The processes that run one of the programs.
  func running(_ program: String) -> [Int32] {
    let names = (try? Directory(path: "/proc").names()) ?? []
    return names.compactMap { Int32($0) }.filter { process in
      linkTarget("/proc/\(process)/exe") == "\(programs)/\(program)"
    }
  }

  /// The running exchange helper.
  ///
  /// Waits until it has sent its request.
  func exchangeHelper() throws -> Int32 {
    var all: [Int32] = []
    // The previous helper ends some milliseconds after its reply.
    let isAlone = eventually {
      all = running("thumblatch-exchange")
      return all.count == 1
    }
    try #require(isAlone, "\(all) run")
    return all[0]
  }

  /// Changes rows of the store while no engine runs, for example rows that hold times.
  func edit(_ sql: String) throws {
    try #require(engine == nil)
    try python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.executescript(sys.argv[2])
      """,
      state + "/vault.db",
      sql
    )
  }

  /// Ages the stored data by this many seconds, while no engine runs.
  func age(seconds: Int) throws {
    try edit(
      "UPDATE access_tokens SET stored_at = stored_at - \(seconds), "
        + "expires_at = expires_at - \(seconds)"
    )
    // The file is stamped by two clocks, neither of which a test can set.
    try shell("rm -f \(state)/tokens/*")
  }

  /// Starts a new engine, and allows an immediate retry of a refresh whose answer was lost.
  func forgetRetryWait() throws {
    try stopEngine()
    try edit("UPDATE intents SET not_before = 0")
    try start()
  }

  /// Everything in the state directory: names, types, modes, owners and contents.
  func contents() throws -> [String] {
    let text = try shell(
      """
      cd \(state)
      find . ! -type s -printf '%p %y %m %U %n %s %l\\n' | sort
      find . -type f ! -empty -exec sha256sum {} + | sort
      """
    )
    return text.split(separator: "\n").map(String.init)
  }
}

/// The target of a symbolic link (readlink(2)), or `nil` if there is no link.
func linkTarget(_ path: String) -> String? {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe buffer.withMemoryRebound(to: CChar.self) { text in
      guard let base = text.baseAddress else { return -1 }
      return unsafe readlink(path, base, text.count)
    }
  }
  return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
}

/// Waits at most two minutes for the end of a process that is not a child.
func waitForEnd(_ process: Int32) throws {
  guard let handle = try? ProcessHandle(identifier: process) else { return }
  let hasEnded = handle.waitForEnd(milliseconds: 120_000)
  try #require(hasEnded)
}
