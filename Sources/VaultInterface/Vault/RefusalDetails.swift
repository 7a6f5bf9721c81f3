internal import JSON
internal import PlainText

/// What a refusal says beside its status and its message.
public struct VaultRefusalDetails: Sendable, Equatable {
  /// Why; `nil` if it is not known.
  public var reason: VaultRefusalReason?
  /// What was wrong with which field.
  public var fields: [VaultFieldProblem]

  /// Nothing more.
  public static let none = VaultRefusalDetails(reason: nil)

  /// Of these parts.
  public init(reason: VaultRefusalReason?, fields: [VaultFieldProblem] = []) {
    self.reason = reason
    self.fields = fields
  }

  /// Reads the members of the error; a reason that a newer engine knows is none here.
  init(decoding object: JSONObject) throws(MessageError) {
    let reason = try object.optional(ProviderRefusedMembers.reason)
    self.reason = reason.flatMap(VaultRefusalReason.init(named:))
    fields = try object.optional(ProviderRefusedMembers.fields) ?? []
  }
}
