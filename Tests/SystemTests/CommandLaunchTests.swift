import Glibc
import System
import Testing

/// A command that replaces the process, in processes of their own.
struct CommandLaunchTests {
  private static func launch(_ delivery: CommandLaunch.Delivery, _ words: String...) throws {
    try CommandLaunch(words: words.map { Array($0.utf8) }, delivery: delivery)
      .replaceThisProcess(secret: "a'b\"c$d")
  }

  private static let isSecret = #"test "$T" = "a'b\"c\$d" && "#

  @Test
  func theSecretIsInTheEnvironmentAndTheStatusIsTheCommands() async {
    await #expect(processExitsWith: .exitCode(7)) {
      unsafe setenv("OTHER", "stays", 1)
      unsafe setenv("T", "earlier", 1)
      let script = Self.isSecret + "test $OTHER = stays && exit 7"
      try Self.launch(.variable("T"), "sh", "-c", script)
    }
  }

  @Test(arguments: [3, 4, 5, 6, 7, 8, 9, 100])
  func theSecretIsInAPipeOnce(_ number: Int32) async {
    await #expect(processExitsWith: .exitCode(7)) { [number = number as Int32] in
      let script = """
        T=$(cat /dev/fd/\(number)); \(Self.isSecret)
        test -z "$(cat /dev/fd/\(number))" && test $(env | grep -cF '"c$d') = 0 && exit 7
        """
      try Self.launch(.descriptor(number), "/bin/sh", "-c", script)
    }
  }

  @Test
  func aScriptWithoutAnInterpreterIsRunByTheShell() async throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.path + "/script"
    try scratch.write("script", "exit $(($1 + 2))\n")
    unsafe chmod(path, 0o700)
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      try Self.launch(.variable("T"), path, "5")
    }
  }

  @Test
  func whatTheStarterChoseIsGivenBack() async {
    await #expect(processExitsWith: .exitCode(7)) {
      umask(0o027)
      signal(SIGHUP, SIG_IGN)
      signal(SIGXFSZ, SIG_DFL)
      let inherited = InheritedState.takeOver()
      ThisProcess.removeCrashReports()
      ThisProcess.ignoreFileSizeSignal()
      ThisProcess.ignoreWriteSignals()
      try ThisProcess.hideMemory()
      signal(SIGINT) { _ in }
      signal(SIGHUP, SIG_DFL)
      inherited.restore()
      // SIGHUP is the first bit of the mask; 32 and 33 are the C library's own.
      let script = """
        test $(umask) = 0027 || exit 1
        test $(sed -n 's/^SigIgn:.*\\(.\\)$/\\1/p' /proc/self/status) = 1 || exit 2
        test "$(ulimit -Hc)" = "$HARD" && test "$(ulimit -Sc)" = "$SOFT" || exit 3
        test -r /proc/$$/mem || exit 4
        exit 7
        """
      var limit = rlimit()
      _ = unsafe getrlimit(Int32(RLIMIT_CORE.rawValue), &limit)
      func text(_ value: rlim_t) -> String { value == .max ? "unlimited" : "\(value / 512)" }
      unsafe setenv("HARD", text(limit.rlim_max), 1)
      unsafe setenv("SOFT", text(limit.rlim_cur), 1)
      try Self.launch(.variable("T"), "sh", "-c", script)
    }
  }

  @Test
  func noDescriptorOfThisProcessArrives() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // Those of the test itself.
      for number: Int32 in 3..<1024 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
      for number: Int32 in 0...1 { close(number) }
      try ThisProcess.reserveStandardDescriptors()
      let (first, second) = try UnixSocket.pair()
      #expect(first > 2 && second > 2)
      // The shell itself opens none for this.
      let script = """
        for n in 0 1 2 3 4 5 6 7 8 9 10 11 12; do test -e /proc/$$/fd/$n && all="$all $n"; done
        test "$all" = " 2 9" && exit 7
        """
      try Self.launch(.descriptor(9), "sh", "-c", script)
    }
  }

  @Test
  func theSearchIsThatOfAShell() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write("plain", "x")
    _ = try scratch.open().openDirectory("folder", create: true)
    let own = Array(scratch.path.utf8)
    let search = ExecutableSearch(path: Array("/nonexistent::".utf8) + own + Array(":/bin".utf8))
    #expect(try search.find(Array("sh".utf8)) == Array("/bin/sh".utf8))
    #expect(try search.find(Array("/bin/sh".utf8)) == Array("/bin/sh".utf8))
    #expect(code { () throws(SystemError) in _ = try search.find([]) } == ENOENT)
    #expect(code { () throws(SystemError) in _ = try search.find(Array("none-7".utf8)) } == ENOENT)
    // A name that is not UTF-8 is looked up unchanged.
    #expect(code { () throws(SystemError) in _ = try search.find([0xFF]) } == ENOENT)
    for name in ["plain", "folder"] {
      #expect(code { () throws(SystemError) in _ = try search.find(Array(name.utf8)) } == EACCES)
    }
    #expect(try ExecutableSearch(path: nil).find(Array("sh".utf8)).last == UInt8(ascii: "h"))
  }
}
