import Glibc
import SecretMemory
import System
import TestSupport
import Testing

@testable import DesktopPrompt

/// Programs that answer as a pinentry does, in a fixed order.
struct PinentriesTests {
  private static let passes = "echo 'D secret'; echo OK"
  private static let noDisplay = "echo 'ERR 83918950 Inappropriate ioctl for device <Pinentry>'"
  /// Notes its process, and does not end by SIGTERM.
  private static let stays = "echo $$ >\"$0.process\"; trap '' TERM"
  /// Notes SIGTERM, and ends by it.
  private static let leaves = "trap 'echo TERM >\"$0.signal\"; exit' TERM; echo OK"

  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private var asked: String { scratch.path + "/asked" }

  /// A program that runs commands of sh(1) when it starts and at each GETPIN, which it notes.
  private func program(
    _ name: String,
    atStart: String = "echo OK",
    flavour: String = "gtk2",
    _ answer: String
  ) throws -> String {
    let path = scratch.path + "/" + name
    // Another process writes it. If this one did, a child of another test would keep it open for
    // writing until its exec, and such a file cannot be executed (ETXTBSY).
    try run(
      "/bin/sh",
      [
        "-c",
        """
        cat >\(path) <<'X'
        #!/bin/sh
        \(atStart)
        while read -r word rest; do
          case $word in
          GETINFO) echo 'D \(flavour)'; echo OK ;;
          GETPIN) echo \(name) >>\(asked); \(answer) ;;
          *) echo OK ;;
          esac
        done
        X
        chmod 755 \(path)
        """,
      ]
    )
    return path
  }

  @Test
  func onlyAProgramOfRootIsAPinentry() throws {
    let path = try program("pinentry", Self.passes)
    #expect(Pinentries.isRootsProgram(path) == (ThisProcess.user == 0))
    #expect(Pinentries.isRootsProgram("/bin/sh"))
    #expect(!Pinentries.isRootsProgram("/bin"))
    #expect(!Pinentries.isRootsProgram(scratch.path + "/none"))
    for mode in ["775", "757"] {
      try run("/bin/chmod", [mode, path])
      #expect(!Pinentries.isRootsProgram(path), "\(mode)")
    }
    try run("/bin/chmod", ["755", path])
    if ThisProcess.user == 0 {
      try run("/bin/chown", ["65534", path])
      #expect(!Pinentries.isRootsProgram(path))
    }
  }

  private func pinentries(
    _ programs: [String],
    replySeconds: Int64 = 60,
    endSeconds: Int64 = 1
  ) -> Pinentries {
    Pinentries(
      on: Desktop(address: "", user: ThisProcess.user, environment: ["PATH=/usr/bin:/bin"]),
      interrupt: nil,
      programs: programs,
      replySeconds: replySeconds,
      endSeconds: endSeconds
    )
  }

  /// The answer as text; `nil` if the person cancelled.
  private func answer(_ pinentries: Pinentries, withinSeconds limit: Int64 = 60) throws -> String? {
    let wake = try WakeEvent()
    return try pinentries.ask(
      Pinentry.Window(description: "a question", question: "Password"),
      until: BootInstant.now.advanced(bySeconds: limit),
      events: { wake.descriptor.number },
      hasEnded: { false }
    ).map { AssuanInput.Data(secret: $0).text }
  }

  /// Whether the program `hangs` runs, as far as it has noted its process.
  private var lives: Bool {
    guard let file = try? scratch.open().openForReading("hangs.process"),
      let bytes = try? file.readAll(limit: 20),
      let process = Int32(String(decoding: bytes.dropLast(), as: UTF8.self))
    else { return false }
    return kill(process, 0) == 0
  }

  private func order() throws -> [String] {
    let bytes = try scratch.open().openForReading("asked").readAll(limit: 1000)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test
  func ifAProgramFindsNoDisplayTheNextOneAsks() throws {
    let programs = [try program("first", Self.noDisplay), try program("second", Self.passes)]
    let pinentries = pinentries(programs)
    #expect(try answer(pinentries) == "secret")
    // The same program asks again after a wrong password.
    #expect(try answer(pinentries) == "secret")
    #expect(try order() == ["first", "second", "second"])
  }

  @Test
  func withoutADisplayThePersonHasNotCancelled() throws {
    let pinentries = pinentries([try program("only", Self.noDisplay)])
    for _ in 1...2 { #expect(throws: DesktopError.noPinentry) { try answer(pinentries) } }
    #expect(try order() == ["only"])
  }

  @Test(arguments: [
    "ERR 83886179 Operation cancelled <Pinentry>", "ERR 83886142 Timeout <Pinentry>",
    "ERR 83886278 Operation fully cancelled <Pinentry>",
  ])
  func aPersonWhoCancelsIsNotAskedAgain(_ line: String) throws {
    let programs = [
      try program("first", "echo '\(line)'"), try program("second", Self.passes),
    ]
    #expect(try answer(pinentries(programs)) == nil)
    #expect(try order() == ["first"])
  }

  @Test
  func aProgramThatEndsIsLeftForTheNext() throws {
    let programs = [
      try program("ends", atStart: "exit 1", Self.passes), scratch.path + "/missing",
      try program("last", Self.passes),
    ]
    #expect(try answer(pinentries(programs)) == "secret")
    #expect(try order() == ["last"])
  }

  /// There is no terminal for it.
  @Test(arguments: ["curses", "gtk2:curses", "tty", "gtk2:tty", "emacs", ""])
  func aProgramThatAsksInNoWindowIsNotAsked(_ flavour: String) throws {
    let only = try program("terminal", flavour: flavour, Self.passes)
    #expect(throws: DesktopError.noPinentry) { try answer(pinentries([only])) }
    let window = try program("window", Self.passes)
    #expect(try answer(pinentries([only, window])) == "secret")
    #expect(try order() == ["window"])
  }

  /// It can close its window and forget the answer.
  @Test
  func aProgramIsAskedToEndBeforeItIsKilled() throws {
    let program = try program("leaves", atStart: Self.leaves, Self.passes)
    let pinentries = pinentries([program], endSeconds: 60)
    #expect(try answer(pinentries) == "secret")
    pinentries.end()
    let noted = try scratch.open().openForReading("leaves.signal").readAll(limit: 20)
    #expect(String(decoding: noted, as: UTF8.self) == "TERM\n")
  }

  @Test
  func aProgramThatDoesNotGreetIsKilledAtItsLimit() throws {
    let program = try program("hangs", atStart: Self.stays + "; read -r never", Self.passes)
    // Only its start is to come within the limit.
    let pinentries = pinentries([program], replySeconds: 5)
    #expect(throws: DesktopError.noPinentry) { try answer(pinentries) }
    // Without the file it would not have run at all.
    try #require(unsafe access(scratch.path + "/hangs.process", F_OK) == 0)
    #expect(!lives)
  }

  /// A program that hangs while its window is open is ended after the time limit of the check.
  @Test
  func aProgramThatHangsAtItsWindowIsKilledAfterTheCheck() throws {
    let pinentries = pinentries([try program("hangs", atStart: Self.stays + "; echo OK", ":")])
    #expect(try answer(pinentries, withinSeconds: 1) == nil)
    #expect(lives)
    pinentries.end()
    #expect(!lives)
  }

  /// The end of its output does not say that the program has ended.
  @Test(.timeLimit(.minutes(10)))
  func aProgramThatClosesItsOutputAndStaysIsKilled() throws {
    let answer = "exec <&- >&-; while :; do sleep 1; done"
    let pinentries = pinentries([try program("hangs", atStart: Self.stays + "; echo OK", answer)])
    #expect(try self.answer(pinentries) == nil)
    #expect(lives)
    pinentries.end()
    #expect(!lives)
  }

  /// Neither comments nor data without end keep the prompt past its end.
  @Test(.timeLimit(.minutes(10)), arguments: ["# nothing", "D a", "S PROGRESS"])
  func aProgramThatSendsWithoutEndIsLeft(_ line: String) throws {
    let program = try program("floods", "while :; do echo '\(line)'; done")
    let pinentries = pinentries([program])
    #expect(try answer(pinentries) == nil)
    pinentries.end()
  }

  /// A program may also flood its output before its greeting.
  @Test(.timeLimit(.minutes(10)))
  func aProgramThatFloodsAtItsStartIsLeftForTheNext() throws {
    let programs = [
      try program("floods", atStart: "while :; do echo '# hello'; done", Self.passes),
      try program("last", Self.passes),
    ]
    #expect(try answer(pinentries(programs)) == "secret")
  }
}
