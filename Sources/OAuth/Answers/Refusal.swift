internal import Configuration
internal import JSON
internal import SecretMemory

/// Why a provider refused a person's input.
public enum RefusalReason: String, Sendable, CaseIterable {
  /// The e-mail address and the password do not match.
  case wrongCredentials = "wrong_credentials"
  /// The e-mail address already has an account.
  case addressTaken = "address_taken"
  /// The provider rejected a field; its `FieldProblem` says which.
  case invalidInput = "invalid_input"
}

/// A provider's statement about one field of a form.
public struct FieldProblem: Sendable, Equatable {
  /// The most problems of one answer.
  static let most = 16

  /// `email`, `name` or `password`, else the backend's own name: at most 64 letters, digits, `_`,
  /// `-` and `.`.
  public let field: String
  /// The backend's words, fit to be shown in one line: at most 200 characters.
  public let message: String

  /// A problem from a store, or one without a source.
  public init(field: String, message: String) {
    self.field = field
    self.message = message
  }
}

/// The details of a refusal besides its status and message.
public struct RefusalDetails: Sendable, Equatable {
  /// The reason; `nil` if the answer does not give it in a known form.
  public let reason: RefusalReason?
  /// The rejected fields.
  public let fields: [FieldProblem]

  /// A refusal that says nothing more.
  public static let none = RefusalDetails(reason: nil)

  /// Details with this reason and these fields.
  public init(reason: RefusalReason?, fields: [FieldProblem] = []) {
    self.reason = reason
    self.fields = fields
  }
}

extension TokenJudge {
  /// Judges a refusal of an e-mail address and a password.
  ///
  /// No standard distinguishes a wrong password from an address that is taken. The statuses 401 and
  /// 409 decide. Many frameworks answer every error with 400 or 422. Then the form of the body and
  /// a few words in it decide.
  func refusal(
    status: Int,
    _ object: JSONObject?,
    for purpose: TokenPurpose,
    hiding sent: SharedSecret?
  ) -> Judgement {
    guard let object, purpose == .login || purpose == .register else {
      let message = object.flatMap { self.message(in: $0, hiding: sent) }
      return .refused(status: status, message: message ?? Self.noReason)
    }
    let found = FieldProblems(of: object, hiding: sent) { name in self.field(called: name) }
    let message =
      self.message(in: object, hiding: sent) ?? found.general ?? found.summary ?? Self.noReason
    let words = RefusalWords([errorCode(in: object), message, found.general])
    let reason =
      purpose == .login
      ? loginReason(status, found, words) : registrationReason(status, found, words)
    return .refused(
      status: status,
      message: message,
      details: RefusalDetails(reason: reason, fields: found.problems)
    )
  }

  /// The message for an answer that gives no reason.
  static let noReason = "the provider gave no reason"

  private func loginReason(
    _ status: Int,
    _ found: FieldProblems,
    _ words: RefusalWords
  ) -> RefusalReason? {
    guard [400, 401, 422].contains(status) else { return nil }
    guard status == 401 || found.problems.isEmpty && !found.isListOfMessages else {
      return .invalidInput
    }
    // The password may be right and the account unusable: "wrong password" would mislead.
    return words.nameAnotherObstacle ? nil : .wrongCredentials
  }

  private func registrationReason(
    _ status: Int,
    _ found: FieldProblems,
    _ words: RefusalWords
  ) -> RefusalReason? {
    guard [400, 409, 422].contains(status) else { return nil }
    let email = found.problems.filter { $0.field == Provider.Field.email.rawValue }
    if RefusalWords(email.map(\.message)).nameATakenAddress { return .addressTaken }
    guard found.problems.isEmpty else {
      return status == 409 && !email.isEmpty ? .addressTaken : .invalidInput
    }
    if status == 409 || words.nameATakenAddress { return .addressTaken }
    return found.isListOfMessages ? .invalidInput : nil
  }

  /// Our name for a member of the form that was sent, or the backend's own name.
  private func field(called name: String) -> String {
    let known: [(Provider.Field, String)] = [
      (.email, "email"), (.name, "name"), (.password, "password"), (.registerPassword, "password"),
      (.registerPasswordRepeated, "password"),
    ]
    for (field, ours) in known {
      if let theirs = provider.name(of: field), theirs.utf8.elementsEqual(name.utf8) { return ours }
    }
    return name
  }
}

/// Looks for known words in a refusal whose status does not give the reason.
///
/// The words are English, since the request names no language.
struct RefusalWords {
  private static let taken = bytes([
    "taken", "already", "exists", "in_use", "in use", "registered", "duplicate", "unique",
  ])
  private static let obstacles = bytes([
    "verif", "confirm", "activat", "inactive", "disabled", "locked", "blocked", "suspended",
    "banned", "captcha", "two-factor", "two_factor", "mfa", "otp", "too many", "invalid_request",
  ])

  private static func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

  private let text: [UInt8]

  /// The most bytes of each text that are examined.
  private static let mostText = 256

  /// Takes the beginning of each text, with ASCII letters in lower case.
  init(_ texts: [String?]) {
    var text: [UInt8] = []
    for case let part? in texts {
      text += part.utf8.prefix(Self.mostText)
      text.append(UInt8(ascii: " "))
    }
    self.text = text.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  /// Whether the texts say that an address is in use.
  var nameATakenAddress: Bool { has(Self.taken) }

  /// Whether the texts name a cause other than the password, such as an unconfirmed address.
  var nameAnotherObstacle: Bool { has(Self.obstacles) }

  private func has(_ words: [[UInt8]]) -> Bool {
    words.contains { text.hasWord($0) }
  }
}
