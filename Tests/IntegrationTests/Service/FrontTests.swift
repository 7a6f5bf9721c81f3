import Glibc
import Storage
import System
import TestSupport
import Testing

@Suite
struct FrontTests {
  @Test
  func aValidTokenComesFromTheFile() throws {
    let fixture = try FrontFixture()
    for arguments in [["token"], ["token", "work"], ["--private", "token", "work"]] {
      #expect(try fixture.run(fixture.program, arguments) == answered("the-token\n"))
    }
  }

  @Test(arguments: [
    [], [""], ["-h"], ["--version"], ["tokens"], ["token", "other"], ["token", "-h"],
    ["token", "work", "--json"], ["token", "work", ""], ["token", ""], ["token", "@"],
    ["token", ".."], ["token", "../work"], ["token", "./work"], ["token", "Work"],
    ["token", "--min-ttl", "10s"], ["status"], ["--private"], ["--private", "--private", "token"],
    ["token", "work", "work"], ["headers", "work"], ["token", "work", "--within", "8s"],
    // Only an engine can tell whether a tool repeats its call.
    ["token", "--helper"], ["token", "work", "--helper"], ["headers", "work", "--helper"],
    ["token", "--private"], ["token", String(repeating: "w", count: 5000)], ["token", "a\nb"],
  ])
  func everythingElseGoesToTheCommandProgramUnchanged(_ arguments: [String]) throws {
    let fixture = try FrontFixture()
    let expected = "cli\n" + (arguments.isEmpty ? "\n" : arguments.map { $0 + "\n" }.joined())
    #expect(try fixture.run(fixture.program, arguments) == answered(expected))
  }

  /// By `token` another tool means something else, so the front answers by its own name only.
  @Test
  func byAnotherNameTheFrontAnswersNothing() throws {
    let fixture = try FrontFixture()
    for name in ["git-credential-thumblatch", "tl", "thumblatch2"] {
      try fixture.shell("ln -s thumblatch \(fixture.root)/bin/\(name)")
      let outcome = try fixture.run("\(fixture.root)/bin/\(name)", ["token"])
      #expect(outcome == answered("cli\ntoken\n"))
    }
    let found = try fixture.shell("PATH=\(fixture.root)/bin:$PATH; thumblatch token")
    #expect(found.output == "the-token\n")
  }

  @Test
  func bytesThatAreNoTextAndTheEnvironmentArriveUnchanged() throws {
    let fixture = try FrontFixture()
    try fixture.shell(
      """
      printf '%s\\n' '#!/bin/sh' 'printf %s "$1" | od -An -tx1' 'printf %s "$ODD" | od -An -tx1' \
        >\(fixture.cli)
      """
    )
    let outcome = try fixture.shell(
      "ODD=$(printf 'x\\376') exec \(fixture.program) \"$(printf 'a\\377b')\""
    )
    #expect(outcome.output == " 61 ff 62\n 78 fe\n")
  }

  @Test
  func theStateDirectoryIsTheOneOfTheEnvironment() throws {
    let fixture = try FrontFixture()
    try fixture.shell("mkdir -p \(fixture.root)/home/.local/state \(fixture.root)/xdg")
    try fixture.shell("cp -a \(fixture.state) \(fixture.root)/home/.local/state/thumblatch")
    try fixture.shell("mv \(fixture.state) \(fixture.root)/xdg/thumblatch")
    let home = "HOME=\(fixture.root)/home"
    let xdg = "XDG_STATE_HOME=\(fixture.root)/xdg"
    for (environment, output) in [
      ([home], "the-token\n"), ([xdg], "the-token\n"), ([home, "XDG_STATE_HOME="], "the-token\n"),
      ([home, "XDG_STATE_HOME=relative"], "the-token\n"), ([], "cli\ntoken\n"),
      ([home, "THUMBLATCH_STATE_DIR=relative"], "cli\ntoken\n"),
      ([home, "THUMBLATCH_STATE_DIR=/nonexistent"], "cli\ntoken\n"), (["HOME=."], "cli\ntoken\n"),
      ([xdg, "THUMBLATCH_STATE_DIR=\(fixture.root)/xdg/thumblatch///"], "the-token\n"),
    ] {
      let outcome = try fixture.run(fixture.program, ["token"], environment: environment)
      #expect(outcome == answered(output), "\(environment)")
    }
  }

  @Test
  func aTokenThatEitherClockDoubtsIsLeftToTheEngine() throws {
    let fixture = try FrontFixture()
    let otherBoot = try #require(BootIdentifier(bytes: Array(repeating: 7, count: 16)))
    for write in [
      { try fixture.writeToken(lifetime: 5) }, { try fixture.writeToken(lifetime: -5) },
      { try fixture.writeToken(lifetime: 3600, bootLifetime: 3000) },
      { try fixture.writeToken(lifetime: 3000, bootLifetime: 3600) },
      { try fixture.writeToken(lifetime: 3600, boot: otherBoot) },
      { try fixture.writeToken(lifetime: .max / 2, bootLifetime: .max) },
    ] {
      try write()
      #expect(try fixture.front("token") == answered("cli\ntoken\n"))
    }
    try fixture.writeToken(lifetime: 60)
    #expect(try fixture.front("token") == answered("the-token\n"))
  }

  @Test(arguments: [
    "chmod 644 tokens/work", "chmod 400 tokens/work", "chmod 4600 tokens/work",
    "ln tokens/work tokens/second", "mv tokens/work t; ln -s ../t tokens/work",
    "mv tokens/work t; ln -s /etc/passwd tokens/work", "rm tokens/work; mkfifo -m 600 tokens/work",
    "rm tokens/work; mkdir -m 700 tokens/work", "rm tokens/work", ": >tokens/work",
    "truncate -s -1 tokens/work", "truncate -s 44 tokens/work", "truncate -s 7 tokens/work",
    "echo >>tokens/work", "truncate -s 10G tokens/work", "chmod 755 .", "chmod 710 .",
    "mv tokens t; ln -s t tokens", "mv ../state ../s; ln -s s ../state", "rm tokens/@",
    "printf ../work >tokens/@", "printf 'work\\n' >tokens/@", ": >tokens/@", "chmod 644 tokens/@",
    "printf X | dd of=tokens/work conv=notrunc status=none",
    "printf '\\033' | dd of=tokens/work bs=1 seek=60 conv=notrunc status=none",
    "printf '\\002' | dd of=tokens/work bs=1 seek=52 conv=notrunc status=none",
  ])
  func aFileThatTheEngineWouldNotWriteIsNotBelieved(_ damage: String) throws {
    let fixture = try FrontFixture()
    try fixture.shell("cd \(fixture.state); \(damage)")
    #expect(try fixture.front("token") == answered("cli\ntoken\n"))
  }

  @Test
  func aServiceOfThisMachineIsNotPassedOver() throws {
    let fixture = try FrontFixture()
    let outcome = try fixture.shell(
      """
      unshare --mount --map-root-user sh -ec '
        mount -t tmpfs none /run && mkdir /run/thumblatch
        \(fixture.program) token && \(fixture.program) --private token'
      """
    )
    #expect(outcome.output == "cli\ntoken\nthe-token\n")
  }

  @Test
  func theCommandProgramIsNotLookedUpInPATH() throws {
    let fixture = try FrontFixture()
    try fixture.shell("mkdir \(fixture.root)/path; mv \(fixture.cli) \(fixture.root)/path")
    let outcome = try fixture.run(
      fixture.program,
      ["status"],
      environment: ["PATH=\(fixture.root)/path"]
    )
    #expect(outcome.end == .exited(1))
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("thumblatch: error: "))
  }

  @Test(arguments: [
    "chmod 775 thumblatch-cli", "chmod 757 thumblatch-cli", "chmod 775 .",
    "mv thumblatch-cli x; ln -s x thumblatch-cli",
    "rm thumblatch-cli; mkdir thumblatch-cli", "rm thumblatch-cli; mkfifo thumblatch-cli",
  ])
  func aCommandProgramThatOthersCouldHavePutThereIsNotStarted(_ damage: String) throws {
    let fixture = try FrontFixture()
    try fixture.shell("cd \(fixture.root)/bin; \(damage)")
    let outcome = try fixture.front("status")
    #expect(outcome.end == .exited(6))
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("thumblatch: error: "))
    // Calls that need no other program are still answered.
    #expect(try fixture.front("token") == answered("the-token\n"))
  }

  @Test
  func noArgumentsAtAllAreNoArguments() throws {
    let fixture = try FrontFixture()
    let directory = try Directory(path: fixture.root)
    let output = try directory.create("no-arguments")
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.number, 1)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    var identifier: pid_t = 0
    var status: Int32 = 0
    try #require(
      unsafe posix_spawn(&identifier, fixture.program, &actions, nil, &arguments, &arguments) == 0
    )
    try #require(unsafe waitpid(identifier, &status, 0) == identifier)
    #expect(status == 0)
    let text = try directory.openForReading("no-arguments").readAll(limit: 100)
    #expect(String(decoding: text, as: UTF8.self) == "cli\n\n")
  }

  @Test
  func aTokenThatDoesNotArriveIsAFailure() throws {
    let fixture = try FrontFixture()
    let said = "thumblatch: error: the token could not be written\n"
    for redirection in [">/dev/full", ">&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null >&0"] {
      let outcome = try fixture.run(
        "/bin/sh",
        ["-c", "exec \(fixture.program) token \(redirection)"]
      )
      let errors = redirection.contains("2>") ? "" : said
      #expect(outcome == .init(end: .exited(1), output: "", errors: errors), "\(redirection)")
    }
    let (ours, theirs) = try UnixSocket.pair()
    // Shut down, not closed: a child of another test might still hold a copy for a moment.
    shutdown(ours, Int32(SHUT_RDWR))
    let outcome = try fixture.run(fixture.program, ["token"], descriptor: theirs)
    close(ours)
    close(theirs)
    #expect(outcome == .init(end: .exited(1), output: "", errors: said))
  }

  @Test
  func closedDescriptorsDoNotMatterWhereNothingIsWritten() throws {
    let fixture = try FrontFixture()
    let outcome = try fixture.run(
      "/bin/sh",
      ["-c", "exec \(fixture.program) token <&- 2>&-"]
    )
    #expect(outcome == answered("the-token\n"))
  }

  @Test
  func theProgramNeedsNoLibraryAndNoConcurrencyRuntime() throws {
    let fixture = try FrontFixture()
    let dynamic = try fixture.shell(
      "LC_ALL=C readelf --dynamic --program-headers \(fixture.program)"
    )
    #expect(!dynamic.output.contains("NEEDED"))
    #expect(!dynamic.output.contains("INTERP"))
    // Control: a program without symbols has none of these either.
    let found = try fixture.shell(
      """
      nm \(fixture.program) >\(fixture.root)/names
      grep -q ' T main$' \(fixture.root)/names
      grep -cE ' (swift_task_create|swift_job_run|EVP_|CRYPTO_)' \(fixture.root)/names || true
      """
    )
    #expect(found.output == "0\n")
  }
}
