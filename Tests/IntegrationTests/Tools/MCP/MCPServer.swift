import Glibc
import JSON
import System
import TestSupport

/// A real MCP server with its own authorization server: `Drivers/mcp-server.py`.
final class MCPServer {
  /// Scheme, host and port.
  let origin: String
  private let directory: String
  private let child: ChildProcess
  private let output: Descriptor

  var url: String { origin + "/mcp" }

  /// Starts a server whose files are in a directory of this name.
  init(of person: Someone, _ name: String = "mcp") throws {
    directory = "\(person.base)/\(name)"
    let python = try shell(
      """
      mkdir -m 755 \(directory)
      \(BuiltPrograms.sourceDirectory)/Tests/Providers/environment mcp 2>/dev/null
      """
    ).dropLast()
    let (near, far) = try UnixSocket.pair()
    output = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: python + "/bin/python",
      arguments: [
        "-B", "-W", "ignore",
        "\(BuiltPrograms.sourceDirectory)/Tests/IntegrationTests/Drivers/mcp-server.py", directory,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, 2]
    )
    _ = consume theirs
    guard try output.waitReadable(milliseconds: 60_000) else {
      throw SystemError("mcp-server.py", code: ETIMEDOUT)
    }
    let port = String(decoding: try output.read(atMost: 64).dropLast(), as: UTF8.self)
    origin = "http://127.0.0.1:\(port)"
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// A request as the server received it.
  struct Request {
    let path: String
    let status: Int64?
    /// The parameters of the query and of the body.
    let parameters: [String: String]
    /// The last characters of the token.
    let token: String?
  }

  /// The requests since the last call.
  func requests() throws -> [Request] {
    let text = try shell("cat \(directory)/log 2>/dev/null || true; rm -f \(directory)/log")
    return try text.split(separator: "\n").map { line in
      let line = try object(String(line))
      var parameters: [String: String] = [:]
      for name in ["query", "form"] {
        for member in try line.optionalObject(name)?.members ?? [] {
          if case .string(let value) = member.value { parameters[member.name] = value }
        }
      }
      return Request(
        path: try line.string("path"),
        status: try line.optionalInteger("status"),
        parameters: parameters,
        token: try line.optionalString("token")
      )
    }
  }

  /// Sets the faults, as the driver describes them; `{}` for none.
  func fail(_ faults: String) throws { try write(faults, "faults") }

  /// Requires scopes of a token, in addition to those of every login.
  func demand(_ scope: String) throws { try write(scope, "scope") }

  /// Lets the server find the metadata document of a client at its ID.
  func describe(client: String) throws {
    try write(
      #"""
      {"\#(client)": {"client_id": "\#(client)", "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none", "response_types": ["code"],
        "grant_types": ["authorization_code", "refresh_token"], "scope": "tools admin"}}
      """#,
      "documents"
    )
  }

  private func write(_ text: String, _ name: String) throws {
    try python(
      "import sys; open(sys.argv[1], 'w').write(sys.argv[2])",
      "\(directory)/\(name)",
      text
    )
  }
}

extension Someone {
  /// Signs in for an MCP server, with a browser that approves at once.
  @discardableResult
  func mcpLogin(_ arguments: String..., account: String = "work") throws -> Outcome {
    try mcpLogin(arguments, account: account)
  }

  @discardableResult
  func mcpLogin(_ arguments: [String], account: String = "work") throws -> Outcome {
    try run(
      ["login", account, "--browser"] + arguments,
      variables: ["BROWSER=\(try approvingBrowser())"]
    )
  }

  /// Makes a browser that approves at once; returns its path.
  func approvingBrowser() throws -> String {
    try IntegrationTests.shell(
      """
      install -m 755 \(IdentityProvider.directory)/sign-in.py \(base)/sign-in.py
      printf '#!/bin/sh\\nexec /usr/bin/python3 \(base)/sign-in.py "$1" >\(home)/page 2>&1\\n' \
        >\(base)/browser
      chmod 755 \(base)/browser
      """
    )
    return "\(base)/browser"
  }
}
