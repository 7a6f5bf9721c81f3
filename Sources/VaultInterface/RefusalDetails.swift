internal import JSON
internal import PlainText
internal import Varlink

/// The details of a refusal beside its status and message.
public struct VaultRefusalDetails: Sendable, Equatable {
  /// The reason; `nil` if it is not known.
  public var reason: VaultRefusalReason?
  /// The fields with a problem.
  public var fields: [VaultFieldProblem]

  /// A refusal without details.
  public static let none = VaultRefusalDetails(reason: nil)

  /// Makes details.
  public init(reason: VaultRefusalReason?, fields: [VaultFieldProblem] = []) {
    self.reason = reason
    self.fields = fields
  }

  /// Reads the members of the error.
  ///
  /// A reason that only a newer engine knows becomes `nil`.
  init(decoding object: JSONObject) throws(MessageError) {
    let reason = try object.optional(ProviderRefusedMembers.reason)
    self.reason = reason.flatMap(VaultRefusalReason.init(named:))
    fields = try object.optional(ProviderRefusedMembers.fields) ?? []
  }
}
