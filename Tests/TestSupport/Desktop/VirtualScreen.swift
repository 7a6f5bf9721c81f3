internal import System

/// A screen in memory (Xvfb), for a program with windows.
public final class VirtualScreen {
  private let server: ChildProcess
  /// The variables that a program needs to show its windows there.
  public let variables: [String]

  /// Starts the screen, and waits until it is there.
  public init(size: String = "1280x800x24") throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    server = try ChildProcess(
      path: "/usr/bin/Xvfb",
      arguments: ["-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, -1]
    )
    _ = consume theirs
    var pipe = LinePipe(ours)
    variables = [
      "DISPLAY=:" + (try pipe.readLine()),
      // Software GL draws a blinking cursor at the cost of a whole core.
      "GSK_RENDERER=cairo", "GDK_BACKEND=x11", "LANG=C.UTF-8", "PATH=/usr/bin:/bin",
    ]
  }

  deinit {
    server.kill()
    _ = try? server.wait()
  }
}
