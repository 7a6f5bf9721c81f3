import Glibc
import System
import TestSupport
import Testing

@testable import LoopbackLogin

/// The choice and the start of a browser.
struct BrowserTests {
  private static let url = "https://id.example/authorize?a=b&c=%20;$(touch%20x)"

  @Test(arguments: [
    ("firefox", [["firefox", url]]),
    ("firefox --new-tab", [["firefox", "--new-tab", url]]),
    ("one %s two:three", [["one", url, "two"], ["three", url]]),
    ("::a::", [["a", url]]),
    ("open --to=%s", [["open", "--to=\(url)"]]),
    ("show 100%% %c", [["show", "100%", ":", url]]),
    ("  ", []), ("", []),
  ])
  func theVariableIsReadAsItsUsersKnowIt(_ wish: String, _ commands: [[String]]) {
    #expect(Browser.commands(wish, url: Self.url) == commands)
  }

  /// A directory with programs that record their arguments, descriptors and umask.
  private final class Programs {
    private let scratch: ScratchDirectory
    var path: String { scratch.path }

    init(_ scripts: [String: String]) throws {
      scratch = try ScratchDirectory()
      // Written by another process. A child that another test forks from this one would hold the
      // written file open until its exec, and such a file cannot be executed (ETXTBSY).
      let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\"; chmod 755 \"$1\""
      for (name, script) in scripts {
        let writer = try ChildProcess(
          path: "/bin/sh",
          arguments: ["-ec", write, "sh", "\(path)/\(name)", script],
          environment: ["PATH=/usr/bin:/bin"],
          descriptors: [-1, -1, 2]
        )
        try #require(try writer.wait() == .exited(0))
      }
    }

    /// The output of a program into a file, once it is complete.
    func text(_ name: String) throws -> String {
      let deadline = BootInstant.now.advanced(bySeconds: 60)
      while BootInstant.now < deadline {
        if let file = try? Directory(path: path).openForReading(name),
          let bytes = try? file.readAll(limit: 1 << 16), bytes.last == UInt8(ascii: ".")
        {
          return String(decoding: bytes.dropLast(), as: UTF8.self)
        }
        pauseBriefly()
      }
      throw SystemError("no such file came", code: ETIMEDOUT, subject: name)
    }

    /// Waits for the end of a browser.
    ///
    /// A child that was not waited for would block the tests that run as their own processes.
    func finish(_ browser: inout Browser) throws {
      let deadline = BootInstant.now.advanced(bySeconds: 60)
      while browser.isRunning {
        guard BootInstant.now < deadline else {
          throw SystemError("the browser has not ended", code: ETIMEDOUT)
        }
        _ = browser.look()
        pauseBriefly()
      }
    }

    func browser(_ wish: String?, mask: UInt32? = nil) -> Browser {
      let environment = ["BROWSER": wish, "PATH": "relative::\(path)"]
      return Browser(
        BrowserTests.url,
        environment: { environment[$0] ?? nil },
        variables: ["PATH=/usr/bin:/bin", "OUT=\(path)", "SEEN=yes"],
        mask: mask
      )
    }
  }

  private static let report =
    "{ printf '%s\\n' \"$@\"; echo $SEEN; ls /proc/$$/fd | tr '\\n' ' '; umask; printf .; } >$OUT/out"

  @Test
  func theAddressIsOneArgumentAndNothingIsInherited() throws {
    let programs = try Programs(["firefox": Self.report])
    // A descriptor that exec(2) would leave open.
    let ours = Descriptor(owning: fcntl(0, F_DUPFD, 50))
    defer { withExtendedLifetime(ours) {} }
    var browser = programs.browser("firefox", mask: 0o027)
    let isStarted = browser.start()
    #expect(isStarted)
    let lines = try programs.text("out").split(separator: "\n").map(String.init)
    #expect(lines.prefix(2) == [Self.url, "yes"])
    // The script itself has opened some of them.
    let open = lines[2].split(separator: " ").dropLast().compactMap { Int($0) }
    #expect(open.contains(0) && open.allSatisfy { $0 < 50 }, "\(open)")
    #expect(lines[2].hasSuffix("0027"))
    try programs.finish(&browser)
  }

  @Test
  func withoutTheVariableXdgOpenIsStarted() throws {
    let programs = try Programs(["xdg-open": Self.report])
    for wish in [nil, ""] {
      var browser = programs.browser(wish)
      let isStarted = browser.start()
      #expect(isStarted)
      #expect(try programs.text("out").hasPrefix(Self.url))
      try programs.finish(&browser)
    }
  }

  @Test
  func whatCannotBeStartedIsPassedOver() throws {
    let programs = try Programs(["there": Self.report])
    unsafe chmod("\(programs.path)/there", 0o644)
    var none = programs.browser("missing:/nowhere/at/all:there:relative/path")
    let isStarted = none.start()
    #expect(!isStarted)
    unsafe chmod("\(programs.path)/there", 0o755)
    var found = programs.browser("missing:there")
    let isFoundStarted = found.start()
    #expect(isFoundStarted)
    #expect(try programs.text("out").hasPrefix(Self.url))
    try programs.finish(&found)
  }

  @Test
  func oneThatFailsAtOnceGivesWayToTheNext() throws {
    let programs = try Programs(["broken": "exit 3", "works": Self.report])
    var browser = programs.browser("broken:works")
    let isStarted = browser.start()
    #expect(isStarted)
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while (try? Directory(path: programs.path).openForReading("out")) == nil {
      let isLeft = browser.look()
      #expect(isLeft)
      try #require(BootInstant.now < deadline)
      pauseBriefly()
    }
    #expect(try programs.text("out").hasPrefix(Self.url))
    try programs.finish(&browser)
    var broken = programs.browser("broken")
    let isBrokenStarted = broken.start()
    #expect(isBrokenStarted)
    while broken.look() {
      try #require(BootInstant.now < deadline)
      pauseBriefly()
    }
  }

  @Test(arguments: [
    (["DISPLAY": ":0"], true), (["WAYLAND_DISPLAY": "wayland-0"], true), (["BROWSER": "x"], true),
    ([:], false), (["DISPLAY": ""], false),
    (["DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"], false),
    (["BROWSER": "firefox", "SSH_TTY": "/dev/pts/1"], false),
  ])
  func aBrowserIsShownWhereThereIsAScreenOfTheOneWhoTypes(
    _ environment: [String: String],
    _ isShown: Bool
  ) {
    #expect(Browser.isSeen { environment[$0] } == isShown)
  }
}
