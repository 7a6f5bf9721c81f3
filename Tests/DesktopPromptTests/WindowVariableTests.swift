import SecretMemory
import System
import TestSupport
import Testing

@testable import DesktopPrompt

/// The variables by which pinentry finds the screen.
struct WindowVariableTests {
  @Test(arguments: [
    (["WAYLAND_DISPLAY": "w"], ["WAYLAND_DISPLAY=w", "XDG_SESSION_TYPE=wayland"]),
    (["WAYLAND_DISPLAY": "w", "DISPLAY": ":0"], ["DISPLAY=:0", "WAYLAND_DISPLAY=w"]),
    (["DISPLAY": ":0"], ["DISPLAY=:0"]), ([:], []),
    (
      ["WAYLAND_DISPLAY": "w", "XDG_SESSION_TYPE": "tty"],
      ["WAYLAND_DISPLAY=w", "XDG_SESSION_TYPE=wayland"]
    ),
  ])
  func theTypeOfTheSessionIsKnownIfOnlyWaylandIsThere(
    _ variables: [String: String],
    _ passed: [String]
  ) {
    #expect(Desktop.windowVariables { variables[$0] } == passed)
  }

  /// It ends at once if it looks for X11 only.
  @Test
  func qtsPinentryOpensItsWindowOnWayland() throws {
    let scratch = try ScratchDirectory()
    let weston = try ChildProcess(
      path: "/usr/bin/weston",
      arguments: [
        "--backend=headless-backend.so", "--socket=screen", "--idle-time=0", "--no-config",
      ],
      environment: ["PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=\(scratch.path)"],
      descriptors: [-1, -1, -1]
    )
    defer {
      weston.kill()
      _ = try? weston.wait()
    }
    try #require(eventually { (try? scratch.open().contains("screen")) == true })
    let basic = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=\(scratch.path)"]
    func answer(_ variables: [String]) throws -> SharedSecret? {
      let desktop = Desktop(
        address: "",
        user: ThisProcess.user,
        environment: basic + variables
      )
      let wake = try WakeEvent()
      return try Pinentries(on: desktop, interrupt: nil, programs: ["/usr/bin/pinentry-qt"]).ask(
        Pinentry.Window(description: "a question", question: "Password"),
        until: BootInstant.now.advanced(bySeconds: 2),
        events: { wake.descriptor.number },
        hasEnded: { false }
      )
    }
    // Its window stays until the time is over.
    let known = ["WAYLAND_DISPLAY": "screen"]
    #expect(try answer(Desktop.windowVariables { known[$0] }) == nil)
    #expect(throws: DesktopError.noPinentry) { try answer(["WAYLAND_DISPLAY=screen"]) }
  }
}
