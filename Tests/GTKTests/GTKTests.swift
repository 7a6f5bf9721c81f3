import Glibc
import System
import TestSupport
import Testing

/// The room `GTK`, in a program of its own on a screen in memory.
@Suite(.serialized)
struct GTKTests {
  private let screen: VirtualScreen

  init() throws { screen = try VirtualScreen() }

  /// The environment of a program that uses no bus.
  private var environment: [String] {
    screen.variables + [
      "HOME=/nonexistent", "GTK_A11Y=none", "GSETTINGS_BACKEND=memory", "TZ=UTC",
      "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
    ]
  }

  private func output(_ subject: String..., language: String = "") throws -> String {
    let probe = try RunningProbe(subject, environment + ["LANGUAGE=" + language])
    let text = String(decoding: try probe.output.readAll(limit: 1 << 16), as: UTF8.self)
    #expect(try probe.child.wait() == .exited(0))
    return text
  }

  @Test
  func closuresEndWithTheirRows() throws {
    #expect(try output("rows") == "shown\nalive 8000\nalive 0\n")
  }

  @Test
  func tasksOfTheMainActorRunUnderTheMainLoop() throws {
    #expect(try output("tasks") == "shown\nsum 500500\n")
  }

  @Test
  func signalsReachTheirClosure() throws {
    #expect(try output("signals") == "shown\nturned 2\n")
  }

  @Test
  func titlesAreNoMarkup() throws {
    #expect(try output("markup") == "shown\nrow <b>a & b <i>\n")
  }

  @Test
  func delaysEndOnceOrAreGivenUp() throws {
    #expect(try output("delays") == "shown\nwaited\n")
  }

  @Test
  func choicesTellOfAnotherText() throws {
    #expect(try output("choice") == "shown\nchosen 2, told 1\nchosen -1\n")
  }

  @Test
  func textsAreInTheLanguageOfTheEnvironment() throws {
    let directory = try ScratchDirectory()
    let compilation = try ChildProcess(
      path: BuiltPrograms.sourceDirectory + "/Scripts/translations",
      arguments: ["--compile", directory.path],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, 2, 2]
    )
    #expect(try compilation.wait() == .exited(0))
    #expect(
      try output("texts", directory.path, language: "de") == """
        Abbrechen
        in no catalog: 5
        Zeile %s: x muss yes oder no sein
        5
        12
        5.
        %d von 0 Berührungen
        %d von 1 Berührung
        %d von 2 Berührungen
        Ziehen Sie diesen Finger über den Leser: %d, 1-mal.
        Ziehen Sie diesen Finger über den Leser: %d, 2-mal.

        """
    )
    #expect(
      try output("texts", directory.path, language: "eo") == """
        Cancel
        in no catalog: 5
        line %s: x must be yes or no
        5
        12
        5\u{20}
        %d of 0 touches
        %d of 1 touch
        %d of 2 touches
        Swipe your %d over the reader 1 time.
        Swipe your %d over the reader 2 times.

        """
    )
  }

  /// With the accessibility bus, a copy for screen readers is freed without a wipe.
  @Test
  func aSecretThatWasShownIsOverwritten() throws {
    #expect(try output("secret") == "shown\nshown\nleft 0\n")
  }

  @Test
  func aLongListHasRowsOnlyForWhatIsNearTheScreen() throws {
    #expect(try output("long") == "shown\nalive true\nfew true\nalive 0\n")
  }

  /// A list that is scrolled fills some rows in each frame.
  @Test
  func rowsOfALongListAreLaidOutCheaply() throws {
    #expect(try output("layout") == "shown\ncheap true\n")
  }

  /// The window has awaited tasks, a stream and a continuation before.
  @Test
  func anIdleWindowWakesNoThread() throws {
    let probe = try RunningProbe(["idle"], environment)
    defer {
      probe.child.kill()
      _ = try? probe.child.wait()
    }
    var text = ""
    while !text.hasSuffix("awaited 3\n") {
      try #require(try probe.output.waitReadable(milliseconds: 60_000), "\(text)")
      text += String(decoding: try probe.output.read(atMost: 64), as: UTF8.self)
    }
    let isIdle = try eventually {
      let before = try waits(of: probe.child.identifier)
      // Nothing comes: this is a second without input.
      _ = try probe.output.waitReadable(milliseconds: 1000)
      return try before == waits(of: probe.child.identifier)
    }
    #expect(isIdle)
  }

  /// How often each thread of a process has waited (proc_pid_status(5)).
  private func waits(of process: Int32) throws -> [String] {
    let tasks = "/proc/\(process)/task"
    return try Directory(path: tasks).names().sorted().map { name in
      let status = Descriptor(owning: unsafe open("\(tasks)/\(name)/status", O_RDONLY | O_CLOEXEC))
      let lines = String(decoding: try status.readAll(limit: 1 << 16), as: UTF8.self)
        .split(separator: "\n")
      return "\(name) \(lines.filter { $0.hasPrefix("voluntary_ctxt_switches") })"
    }
  }
}

/// A running probe, and its output.
private final class RunningProbe {
  let child: ChildProcess
  let output: Descriptor

  init(_ arguments: [String], _ environment: [String]) throws {
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: BuiltPrograms.path("GTKProbe"),
      arguments: arguments,
      environment: environment,
      descriptors: [-1, theirs.number, 2]
    )
  }
}
