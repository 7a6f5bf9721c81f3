import Glibc
import System
import Testing

@Suite
struct ChildProcessTests {
  @Test
  func aChildHasExactlyTheDescriptorsThatItWasGiven() throws {
    // Open here, and inheritable: neither may arrive in the child.
    let stray = dup(1)
    let strayHigh = fcntl(1, F_DUPFD, 200)
    let extra = Descriptor(owning: dup(2))
    defer {
      close(stray)
      close(strayHigh)
    }
    // Another process lists the shell's descriptors, because a process that lists its own holds one
    // more.
    let script = "ls /proc/$$/fd; true"
    let bare = try output(of: "/bin/sh", ["-c", script])
    #expect(bare.text == "0\n1\n2\n")
    let more = try output(of: "/bin/sh", ["-c", script], beyond: [extra.number, -1])
    #expect(more.text == "0\n1\n2\n3\n4\n")
  }

  @Test
  func descriptorsArriveInTheOrderGiven() throws {
    var mine: [Int32] = []
    var its: [Int32] = []
    for _ in 0..<3 {
      let (first, second) = try UnixSocket.pair()
      mine.append(first)
      its.append(second)
    }
    // In an order that overwrites one source before its turn if they are moved one by one.
    let child = try ChildProcess(
      path: "/bin/sh",
      arguments: ["-c", "echo zero >&0; echo one >&1; echo two >&2"],
      environment: [],
      descriptors: [its[2], its[0], its[1]]
    )
    for number in its { close(number) }
    let readers = mine.map { number in
      Result { try Descriptor(owning: number).readAll(limit: 100) }
    }
    #expect(try child.wait() == .exited(0))
    #expect(try readers[2].get() == Array("zero\n".utf8))
    #expect(try readers[0].get() == Array("one\n".utf8))
    #expect(try readers[1].get() == Array("two\n".utf8))
  }

  @Test
  func aDetachedProgramIsNoChildAndLeadsNoTerminal() throws {
    let (first, second) = try UnixSocket.pair()
    let mine = Descriptor(owning: first)
    do {
      let its = Descriptor(owning: second)
      try ChildProcess.startDetached(
        path: "/bin/sh",
        // Field 6 of proc(5)'s stat is the session: that of the intermediate process.
        arguments: [
          "-c",
          "read pid name state parent group session rest </proc/$$/stat; "
            + "echo $parent $session $$",
        ],
        environment: [],
        descriptors: [-1, its.number, -1]
      )
    }
    let text = String(decoding: try mine.readAll(limit: 100), as: UTF8.self)
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
    try #require(numbers.count == 3)
    #expect(numbers[0] != getpid())
    #expect(numbers[1] != getsid(0) && numbers[1] != numbers[2])
    #expect(throws: SystemError.self) {
      try ChildProcess.startDetached(
        path: "/nowhere/at/all",
        arguments: [],
        environment: [],
        descriptors: [-1]
      )
    }
  }

  @Test
  func aChildHasNoEnvironmentButItsOwn() throws {
    #expect(ThisProcess.environment("PATH") != nil, "there is something to inherit")
    #expect(try output(of: "/usr/bin/env").text == "")
    let given = try output(of: "/usr/bin/env", environment: ["A=1", "B=two words"])
    #expect(given.text == "A=1\nB=two words\n")
  }

  @Test
  func onlyItsUserReadsAChildsFiles() async {
    // The umask belongs to the whole process, and other tests make files at the same time.
    await #expect(processExitsWith: .success) {
      umask(0)
      let mask = try output(of: "/bin/sh", ["-c", "umask"]).text
      #expect(mask == "0077\n")
    }
  }

  @Test
  func theMaskOfFilesIsKnownWithoutChangingIt() async {
    await #expect(processExitsWith: .success) {
      for mask: UInt32 in [0o027, 0, 0o777, 0o022] {
        umask(mask)
        #expect(ThisProcess.fileMask == mask)
      }
    }
  }

  @Test
  func closedStandardDescriptorsAreTakenByWhatFails() async {
    await #expect(processExitsWith: .success) {
      for number: Int32 in 0...2 { close(number) }
      try ThisProcess.reserveStandardDescriptors()
      var byte: UInt8 = 0
      #expect(unsafe read(0, &byte, 1) == -1 && errno == EBADF)
      #expect(unsafe write(1, &byte, 1) == -1 && errno == EBADF)
      #expect(unsafe write(2, &byte, 1) == -1 && errno == EBADF)
      let (first, second) = try UnixSocket.pair()
      #expect(first > 2 && second > 2)
    }
  }

  @Test
  func argumentsArriveAsTheyAre() throws {
    let arguments = ["", "a b", "$HOME", "ü", "-n", "\"'"]
    let script = "for a in \"$@\"; do printf '<%s>' \"$a\"; done"
    let result = try output(of: "/bin/sh", ["-c", script, "sh"] + arguments)
    #expect(result.text == arguments.map { "<\($0)>" }.joined())
  }

  @Test
  func aChildStartsAtTheRootWithoutBlockedOrIgnoredSignals() throws {
    signal(SIGUSR2, SIG_IGN)
    #expect(try output(of: "/bin/pwd").text == "/\n")
    let status = try output(of: "/bin/cat", ["/proc/self/status"]).text.split(separator: "\n")
    for field in ["SigBlk", "SigIgn"] {
      let line = try #require(status.first { $0.hasPrefix(field) })
      // Signals 32 and 33 are the C library's own (nptl(7)): sigaction(2) does not touch them.
      let signals = try #require(UInt64(line.dropFirst(field.count + 2), radix: 16))
      #expect(signals & ~(3 << 31) == 0)
    }
  }

  @Test
  func aNewSessionIsTheChildsOwn() throws {
    let fields = try output(of: "/bin/cat", ["/proc/self/stat"], newSession: true).text
      .split(separator: " ")
    #expect(fields[5] == fields[0], "the session is named after its leader")
    let ours = try output(of: "/bin/cat", ["/proc/self/stat"]).text.split(separator: " ")
    #expect(ours[5] == "\(getsid(0))")
  }

  @Test
  func aProgramThatCannotBeStartedIsAnErrorHere() {
    #expect(code { () throws(SystemError) in _ = try output(of: "/nothing/here") } == ENOENT)
    #expect(code { () throws(SystemError) in _ = try output(of: "/etc/passwd") } == EACCES)
    #expect(code { () throws(SystemError) in _ = try output(of: "/etc") } == EACCES)
    let many = [Int32](repeating: -1, count: 20)
    #expect(
      code { () throws(SystemError) in _ = try output(of: "/bin/true", beyond: many) } == EINVAL
    )
    #expect(
      code { () throws(SystemError) in _ = try output(of: "/bin/true", beyond: [9999]) } == EBADF
    )
  }

  @Test
  func theEndIsToldAsItWas() throws {
    #expect(try output(of: "/bin/sh", ["-c", "exit 7"]).end == .exited(7))
    #expect(try output(of: "/bin/sh", ["-c", "kill -TERM $$"]).end == .signalled(SIGTERM))
    let (mine, its) = try UnixSocket.pair()
    let input = Descriptor(owning: mine)
    let child: ChildProcess
    do {
      let end = Descriptor(owning: its)
      child = try ChildProcess(
        path: "/bin/cat",
        arguments: [],
        environment: [],
        descriptors: [end.number, -1, -1]
      )
    }
    #expect(try child.poll() == nil)
    let handle = try ProcessHandle(identifier: child.identifier)
    #expect(handle.isAlive == true)
    #expect(handle.waitForEnd(milliseconds: 0) == false)
    input.shutDown()
    #expect(handle.waitForEnd(milliseconds: 60_000) == true)
    #expect(handle.isAlive == false)
    #expect(try child.poll() == .exited(0))
  }

  @Test
  func aChildThatDoesNotListenIsEnded() throws {
    let child = try ChildProcess(
      path: "/bin/sleep",
      arguments: ["60"],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    child.finish(withinMilliseconds: 1)
    #expect(code { () throws(SystemError) in _ = try child.wait() } == ECHILD)
  }
}

@Suite
struct ProcessFactsTests {
  @Test
  func thisProcessIsDescribed() throws {
    let facts = try #require(ProcessFacts(process: ThisProcess.identifier))
    #expect(facts.parent == getppid() && facts.user == ThisProcess.user)
    #expect(ProcessFacts(process: 0) == nil)
    #expect(ProcessFacts(process: -1) == nil)
    #expect(ProcessFacts(process: .max) == nil)
  }

  @Test(
    arguments: [
      ") 1 2 3", "a\nb", "((((", "))))", "", "x) R 1 (y", "comm S 4", "\u{1b}[31m", "ü)ü(",
    ]
  )
  func aNameCannotPassForOtherFields(name: String) throws {
    let facts = try #require(ProcessFacts.parse(Array("42 (\(name)) S 4711 1 1 0".utf8)))
    #expect(facts.name == name && facts.parent == 4711)
  }

  @Test(arguments: [
    "", "42", "42 (a", "42 a) S 1", "42 )a( S 1", "42 (a)", "42 (a) S", "42 (a) S x",
  ])
  func whatIsNoStatusLineIsNoFact(text: String) {
    #expect(ProcessFacts.parse(Array(text.utf8)) == nil)
  }

  @Test
  func theProgramKnowsWhereItLies() throws {
    let path = try ThisProcess.programPath()
    #expect(path.hasPrefix("/"))
    let directory = try ThisProcess.programDirectory()
    #expect(path.hasPrefix(directory + "/") && !directory.hasSuffix("/"))
    #expect(ThisProcess.environment("THUMBLATCH_NOT_SET") == nil)
  }

  @Test
  func refusingDumpsHidesTheProcessFromItsOwnUser() async {
    await #expect(processExitsWith: .success) {
      try ThisProcess.refuseDumps()
      #expect(try output(of: "/bin/cat", ["/proc/self/status"]).text.contains("NoNewPrivs:\t0"))
      try ThisProcess.renouncePrivileges()
      #expect(try output(of: "/bin/cat", ["/proc/self/status"]).text.contains("NoNewPrivs:\t1"))
      // proc(5): the files of an undumpable process belong to root.
      let own = try Directory(path: "/proc/\(ThisProcess.identifier)")
      #expect(try own.openForReading("status").status().owner == 0)
      var limit = rlimit()
      let isRead = unsafe getrlimit(Int32(RLIMIT_CORE.rawValue), &limit) == 0
      #expect(isRead && limit.rlim_max == 0)
    }
  }
}
