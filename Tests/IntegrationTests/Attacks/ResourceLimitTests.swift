import Glibc
import System
import TestSupport
import Testing

/// Resource limits of a shell: the error names the limit, and what to do.
@Suite(.serialized)
struct ResourceLimitTests {
  /// Runs a verb of the private form under a limit.
  ///
  /// No engine runs before or afterwards.
  private func run(
    _ verb: String,
    within limit: String
  ) throws -> (text: String, end: ProcessEnd) {
    let vault = try TestVault()
    return try output(
      of: "/bin/bash",
      ["-c", "ulimit \(limit); exec \(vault.programs)/thumblatch --private \(verb)"],
      environment: [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "THUMBLATCH_STATE_DIR=\(vault.state)",
        "HOME=\(vault.base)",
      ]
    )
  }

  @Test(arguments: [8, 10, 12, 14, 16, 17, 18])
  func tooFewDescriptorsAreNoBug(_ count: Int) throws {
    let (text, end) = try run("status", within: "-n \(count)")
    #expect(text.contains("RLIMIT_NOFILE") && text.contains("\(count)"), "\(text)")
    #expect(text.contains("ulimit -n"), "\(text)")
    #expect(!text.contains("bug") && end != .exited(1), "\(text)")
  }

  @Test(arguments: [8, 16, 32, 64])
  func aLimitOnFilesIsNoFaultOfTheStore(_ blocks: Int) throws {
    let (text, end) = try run("status", within: "-f \(blocks)")
    #expect(text.contains("RLIMIT_FSIZE") && text.contains("\(blocks * 1024)"), "\(text)")
    #expect(text.contains("ulimit -f") && text.contains("nothing was changed"), "\(text)")
    #expect(!text.contains("SQLite") && end == .exited(6), "\(text)")
  }

  /// The engine outlives the shell that started it, and serves other callers.
  @Test
  func aLimitThatMayBeRaisedIsNotTheEngines() throws {
    for limit in ["-S -f 16", "-S -n 20", "-S -f 16 -n 64"] {
      let (text, end) = try run("status", within: limit)
      #expect(end == .exited(0) && !text.contains("RLIMIT"), "\(limit): \(text)")
    }
  }

  @Test(arguments: ["-v 25000", "-v 50000", "-v 200000", "-d 20000", "-d 60000", "-d 200000"])
  func tooLittleMemoryIsSaidBeforeAnEngineHangs(_ limit: String) throws {
    let (text, end) = try run("status", within: limit)
    let name = limit.hasPrefix("-v") ? "RLIMIT_AS" : "RLIMIT_DATA"
    #expect(text.contains(name) && text.contains("ulimit \(limit.prefix(2))"), "\(text)")
    #expect(end == .exited(5), "\(text)")
  }

  @Test(arguments: [64, 256, 1000])
  func aTooSmallStackIsReportedBeforeAnEngineStarts(_ size: Int) throws {
    let (text, end) = try run("status", within: "-s \(size)")
    #expect(text.contains("RLIMIT_STACK") && text.contains("\(size * 1024)"), "\(text)")
    #expect(text.contains("ulimit -s") && end == .exited(5), "\(text)")
  }

  @Test
  func theSmallestStackIsEnough() throws {
    for verb in ["status", "account list", "doctor"] {
      let (text, end) = try run(verb, within: "-s 1024")
      #expect(end == .exited(0) && !text.contains("RLIMIT"), "\(text)")
    }
  }

  /// Root may have any number of processes.
  @Test
  func tooFewProcessesAreNoBug() throws {
    let vault = try TestVault()
    try shell("chown -R 65533:65533 \(vault.state)")
    let (text, end) = try output(
      of: "/usr/bin/setpriv",
      [
        "--reuid", "65533", "--regid", "65533", "--clear-groups", "--inh-caps=-all", "/bin/bash",
        "-c", "ulimit -u 1; exec \(vault.programs)/thumblatch --private status",
      ],
      environment: [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "THUMBLATCH_STATE_DIR=\(vault.state)",
        "HOME=\(vault.base)",
      ]
    )
    #expect(text.contains("RLIMIT_NPROC") && text.contains("ulimit -u"), "\(text)")
    #expect(end == .exited(2), "\(text)")
  }
}
