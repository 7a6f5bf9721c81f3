import Glibc
import ThumblatchKit
import WebServer

/// A small web page on this machine: sign-in, protected area, presence and sign-out.
///
/// Usage: `example-server http://localhost:8000 [PORT]`
@main
struct ExampleServer {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 || arguments.count == 3,
      let port = UInt16(arguments.count > 2 ? arguments[2] : "0")
    else { end("usage: example-server BACKEND [PORT]", status: 2) }
    do throws(AuthError) {
      let session = AuthSession(
        account: "example-server",
        provider: try .passwordBackend(
          arguments[1],
          environment: arguments[1].hasPrefix("http:") ? .development : .production
        ),
        configuration: AuthConfiguration(refusesWhileLocked: true),
        presenter: StatePresenter()
      )
      // A failure here is in the state, and on the page.
      _ = try? await session.restore()
      await serve(session, backend: arguments[1], port: port)
    } catch {
      end("example-server: error: \(error)", status: 2)
    }
  }

  private static func serve(_ session: AuthSession, backend: String, port: UInt16) async {
    let browsers = Browsers()
    let pages = Pages(session, backend: backend, browsers)
    do throws(WebServer.Failure) {
      let server = try WebServer(port: port) { await pages.answer($0) }
      browsers.listen(on: server.port)
      print("open http://127.0.0.1:\(server.port)/?key=\(browsers.key)")
      fflushOutput()
      for await _ in session.states {}
      // The states end with the session, which is held here, so the program runs until it is
      // killed.
      withExtendedLifetime((session, server)) {}
    } catch {
      end("example-server: error: \(error)", status: 1)
    }
  }

  private static func end(_ text: String, status: Int32) -> Never {
    let line = Array((text + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    exit(status)
  }
}
