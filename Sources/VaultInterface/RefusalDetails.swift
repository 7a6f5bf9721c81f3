public import JSON
internal import PlainText

/// Why a provider said no to what a person typed.
///
/// More may be added: it is a text on the wire, and one that is not known is `nil`.
public enum VaultRefusalReason: String, Sendable, CaseIterable {
  /// The e-mail address and the password do not belong together.
  case wrongCredentials = "wrong_credentials"
  /// The e-mail address has an account already.
  case addressTaken = "address_taken"
  /// The provider found fault with a field.
  case invalidInput = "invalid_input"
}

/// What a provider said of one field of a form.
public struct VaultFieldProblem: VarlinkRecord, WireValue, Equatable {
  /// `email`, `name` or `password`, else the provider's own name.
  public var field: String
  /// The provider's words.
  public var message: String

  /// Of these parts.
  public init(field: String, message: String) {
    self.field = field
    self.message = message
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    field = try object.required("field")
    message = try object.required("message")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["field": field, "message": message]) }
  }
}

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
    let reason: String? = try object.optional("reason")
    self.reason = reason.flatMap(VaultRefusalReason.init(named:))
    fields = try object.optional("fields") ?? []
  }
}
