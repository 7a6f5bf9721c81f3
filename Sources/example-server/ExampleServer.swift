import AuthSession
import WebServer

/// A small web page on this machine, for whoever starts it: login, protected area, presence, sign-out.
///
///     example-server http://localhost:8000 [PORT]
@main
struct ExampleServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2, let port = UInt16(arguments.count > 2 ? arguments[2] : "0") else {
      return print("usage: example-server BACKEND [PORT]")
    }
    let session = AuthSession(
      account: "example-server",
      provider: try .passwordBackend(
        arguments[1],
        environment: arguments[1].hasPrefix("http:") ? .development : .production
      ),
      presenter: StatePresenter()
    )
    _ = try? await session.restore()
    let visitors = Visitors()
    let pages = Pages(session, backend: arguments[1], visitors)
    let server = try WebServer(port: port) { await pages.answer($0) }
    visitors.listen(on: server.port)
    print("open http://127.0.0.1:\(server.port)/?key=\(visitors.key)")
    fflushOutput()
    for await _ in session.states {}
    // The states end with the session, which this function holds: it runs until it is ended.
    withExtendedLifetime((session, server)) {}
  }
}
