import Glibc
import JSON
import System
import TestSupport

/// An OAuth 2.0 provider that signs every user in, shows the test every request to its token
/// endpoint, secrets included, and answers when the test says so.
final class HaltingProvider {
  let url: String
  private let child: ChildProcess
  private let pipe: Descriptor

  init() throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-c", Self.program],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = consume theirs
    pipe = ours
    url = "http://127.0.0.1:" + (try Self.line(pipe))
  }

  /// The arguments that add this provider to a person's providers as `p`.
  func adding(_ options: String...) -> [String] {
    let settings = [
      "discovery=off", "authorization_endpoint=\(url)/authorize", "token_endpoint=\(url)/token",
    ]
    return ["provider", "add", "p", "--kind", "oauth2", "--issuer", url, "--client-id", "c"]
      + settings.flatMap { ["--set", $0] } + options
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// The parameters of the next request for tokens, which then waits for `answer`.
  func nextRequest() throws -> [String: String] {
    let request = try object(try Self.line(pipe))
    return try Dictionary(
      uniqueKeysWithValues: request.members.map { ($0.name, try request.string($0.name)) }
    )
  }

  /// Answers that request.
  func answer(refreshToken: String, accessToken: String) throws {
    let tokens: JSONObject = [
      "refresh_token": .string(refreshToken), "access_token": .string(accessToken),
      "token_type": "Bearer", "expires_in": .integer(3600),
    ]
    try pipe.write(String(decoding: try JSONWriter.write(.object(tokens)), as: UTF8.self) + "\n")
  }

  /// One line, which fits into a single read of the socket.
  private static func line(_ pipe: borrowing Descriptor) throws -> String {
    guard try pipe.waitReadable(milliseconds: 60_000) else {
      throw SystemError("python3", code: ETIMEDOUT)
    }
    var line = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe try line.withUnsafeMutableBytes { unsafe try pipe.read(into: $0) }
    return String(decoding: line.prefix(count).dropLast(), as: UTF8.self)
  }

  private static let program = """
    import http.server, json, sys, urllib.parse
    class Provider(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"
      def log_message(self, *_): pass
      def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        back = urllib.parse.urlencode({"code": "code-3f0c99d1a7b2e8-of-a-login", "state": query["state"]})
        self.send_response(302)
        self.send_header("Location", query["redirect_uri"] + "?" + back)
        self.send_header("Content-Length", "0")
        self.end_headers()
      def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sent = dict(urllib.parse.parse_qsl(body))
        sent["Authorization"] = self.headers.get("Authorization") or ""
        print(json.dumps(sent), flush=True)
        answer = sys.stdin.readline().encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """
}
