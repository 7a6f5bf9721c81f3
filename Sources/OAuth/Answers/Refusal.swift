internal import Configuration
internal import JSON
internal import SecretMemory

/// Why a provider said no to what a person typed.
public enum RefusalReason: String, Sendable, CaseIterable {
  /// The e-mail address and the password do not belong together.
  case wrongCredentials = "wrong_credentials"
  /// The e-mail address has an account already.
  case addressTaken = "address_taken"
  /// The provider found fault with a field: its `FieldProblem` says which.
  case invalidInput = "invalid_input"
}

/// What a provider said of one field of a form.
public struct FieldProblem: Sendable, Equatable {
  /// The most of one answer.
  static let most = 16

  /// `email`, `name` or `password`, else the backend's own name: at most 64 letters, digits, `_`, `-`
  /// and `.`.
  public let field: String
  /// The backend's words, fit to be shown in one line: at most 200 characters.
  public let message: String

  /// A problem from a store, or from nowhere.
  public init(field: String, message: String) {
    self.field = field
    self.message = message
  }
}

/// What a refusal says beside its status and its message.
public struct RefusalDetails: Sendable, Equatable {
  /// Why; `nil` if the answer does not say it in a form that is known.
  public let reason: RefusalReason?
  /// What was wrong with which field.
  public let fields: [FieldProblem]

  /// A refusal that says nothing more.
  public static let none = RefusalDetails(reason: nil)

  /// These details.
  public init(reason: RefusalReason?, fields: [FieldProblem] = []) {
    self.reason = reason
    self.fields = fields
  }
}

extension TokenJudge {
  /// A refusal of an e-mail address and a password, and what else it says.
  ///
  /// No standard says how a backend tells a wrong password from an address that is taken. The statuses
  /// 401 and 409 decide. Many frameworks answer 400 or 422 to everything: then the form of the body
  /// decides, and a few words of it.
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

  /// What is said if the answer says nothing.
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
    // The password may be right, and the account not usable: "wrong password" would mislead.
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

  /// Our name for a member of the form that was sent, else the backend's.
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

/// Words of a refusal whose status does not tell the reason: English, since the request asks for no
/// language.
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

  /// The most bytes of each text that are looked at.
  private static let mostText = 256

  /// The words of these texts, of each its beginning; the letters of ASCII in lower case.
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

  /// Whether they say that an address is in use.
  var nameATakenAddress: Bool { has(Self.taken) }

  /// Whether they name another cause than the password, such as an address that is not confirmed.
  var nameAnotherObstacle: Bool { has(Self.obstacles) }

  private func has(_ words: [[UInt8]]) -> Bool {
    words.contains { text.hasWord($0) }
  }
}
