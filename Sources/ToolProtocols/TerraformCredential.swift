internal import JSON

/// The protocol of the credentials helpers of Terraform and OpenTofu.
package enum TerraformCredential {
  package enum Action: String, Sendable {
    case get, store, forget
  }

  /// Reads the token to store.
  ///
  /// Terraform expects every member back, so the helper refuses members that it cannot keep.
  package static func stored(_ bytes: [UInt8]) throws(ToolRequestError) -> ToolSecret {
    let object = try ToolRequest.object(bytes, keepsRest: false)
    let token = try ToolRequest.reading { () throws(JSONError) in try object.string("token") }
    guard !token.isEmpty else { throw ToolRequestError(description: "the request has no token") }
    guard object.members.count == 1 else {
      throw ToolRequestError(
        description: "the request has members besides the token, and they cannot be kept"
      )
    }
    return ToolSecret(token)
  }

  /// The answer to `get`; an empty object if the host has no token.
  package static func answer(_ token: ToolToken?) -> [UInt8] {
    var answer: JSONObject = [:]
    answer["token"] = token.map { .string($0.text) }
    return ToolRequest.line(answer)
  }
}
