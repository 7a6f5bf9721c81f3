import Glibc
import System
import TestSupport

/// A server of an API on this machine that is not the provider's.
///
/// | path | answers |
/// |---|---|
/// | `/zeros?N` | N zeros |
/// | `/echo` | the body that came, under the media type that came |
/// | `/seen` | the headers of the previous request, one a line |
/// | `/away` | a redirect |
/// | `/cut` | half of the announced length |
/// | `/hang` | nothing |
/// | `/escape` | terminal escape sequences |
final class PlainServer {
  let host: String
  private let child: ChildProcess
  private let output: Descriptor

  init() throws {
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-c", Self.program],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, 2]
    )
    _ = consume theirs
    host = "127.0.0.1:" + (try Self.line(output))
  }

  /// Waits until a request hangs.
  func waitForHang() throws {
    guard try Self.line(output) == "hangs" else { throw SystemError("python3", code: EPROTO) }
  }

  private static func line(_ output: borrowing Descriptor) throws -> String {
    guard try output.waitReadable(milliseconds: 60_000) else {
      throw SystemError("python3", code: ETIMEDOUT)
    }
    var line = [UInt8](repeating: 0, count: 64)
    let count = unsafe try line.withUnsafeMutableBytes { unsafe try output.read(into: $0) }
    return String(decoding: line.prefix(count).dropLast(), as: UTF8.self)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  private static let program = """
    import http.server, threading
    seen = ["none"]
    class Handler(http.server.BaseHTTPRequestHandler):
      def log_message(self, *_): pass
      def answer(self):
        path, _, query = self.path.partition("?")
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, body = 200, {"Content-Type": "text/plain"}, b"text"
        if path == "/zeros": body = bytes(int(query))
        elif path == "/echo":
          body = sent
          headers = {"Content-Type": self.headers.get("Content-Type") or "none",
            "X-Method": self.command}
        elif path == "/seen": body = "\\n".join(seen[-1:]).encode()
        elif path == "/away":
          status, headers = 302, {"Location": "http://127.0.0.1:1/elsewhere"}
        elif path == "/missing": status, body = 404, b"no such thing"
        elif path == "/hang":
          print("hangs", flush=True)
          threading.Event().wait()
        elif path == "/escape": body = b"a\\x1b[31mb\\nc"
        seen.append(self.command + "\\n" + str(self.headers))
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name, value)
        length = len(body) * (2 if path == "/cut" else 1)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
        self.close_connection = True
      do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = answer
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """
}
