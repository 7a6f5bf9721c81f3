internal import JSON
internal import PlainText

/// A request of kubectl, or of another client of Kubernetes, for a credential
/// (client.authentication.k8s.io).
package struct KubeCredential: Sendable {
  /// The variable with the request.
  package static let variable = "KUBERNETES_EXEC_INFO"

  /// The stated reason for the call of the vault.
  package static let reason = "kubernetes"

  /// The limit of execve(2) for one variable.
  package static let maximumCount = 128 * 1024

  private static let group = "client.authentication.k8s.io/"
  private static let versions = ["v1", "v1beta1"].map { group + $0 }
  private static let kind = "ExecCredential"

  private let version: String
  /// The address of the cluster; `nil` if the client does not give it.
  package let server: String?

  /// Reads the value of the variable; without one, the newest version is used.
  package init(_ text: String?) throws(ToolRequestError) {
    guard let text, !text.isEmpty else {
      version = Self.versions[0]
      server = nil
      return
    }
    guard text.utf8.count <= Self.maximumCount else {
      throw ToolRequestError(description: "\(Self.variable) is longer than 128 KiB")
    }
    let object = try ToolRequest.object(Array(text.utf8))
    let (asked, kind, server) = try ToolRequest.reading { () throws(JSONError) in
      let cluster = try object.optionalObject("spec")?.optionalObject("cluster")
      return (
        try object.string("apiVersion"), try object.string("kind"),
        try cluster?.optionalString("server")
      )
    }
    guard kind.isByteEqual(to: Self.kind) else {
      throw ToolRequestError(description: "\(Self.variable) is not of kind \(Self.kind)")
    }
    guard let known = Self.versions.first(where: { $0.isByteEqual(to: asked) }) else {
      throw ToolRequestError(
        description: "apiVersion must be \(Self.versions.joined(separator: " or "))"
      )
    }
    version = known
    self.server = server
  }

  /// The credential.
  package func answer(_ token: ToolToken) -> [UInt8] {
    var status: JSONObject = [:]
    status["expirationTimestamp"] = token.expiresAt.map { .string(DateTime.text($0)) }
    status["token"] = .string(token.text)
    return ToolRequest.line([
      "apiVersion": .string(version), "kind": .string(Self.kind), "status": .object(status),
    ])
  }
}
