/// A gateway that AI tools reach with a token: `Drivers/ai-gateway.py`.
///
/// A line of its log has the status, the path, and the end of the token.
final class AIGateway: PersonServer {
  var url: String { "http://127.0.0.1:\(port)" }

  /// Starts the gateway as a person.
  init(as person: Someone, _ name: String = "gateway") throws {
    try super.init("ai-gateway.py", as: person, in: name)
  }

  /// Makes the model call a tool of the MCP server once, which ends the token of that call there.
  func endTokenAtCall(of tool: String) throws {
    try shell("umask 022; echo \(tool) >\(directory)/calls")
  }
}
