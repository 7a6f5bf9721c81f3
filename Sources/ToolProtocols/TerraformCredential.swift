internal import JSON

/// The protocol of the credentials helpers of Terraform and OpenTofu.
package enum TerraformCredential {
  package enum Action: String, Sendable {
    case get, store, forget
  }

  /// The answer to `get`; an empty object if the host has no token.
  package static func answer(_ token: ToolToken?) -> [UInt8] {
    var answer: JSONObject = [:]
    answer["token"] = token.map { .string($0.text) }
    return ToolRequest.line(answer)
  }
}
