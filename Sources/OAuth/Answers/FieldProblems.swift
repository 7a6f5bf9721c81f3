internal import JSON
internal import PlainText
internal import SecretMemory

/// The problems that an answer reports for single fields, in any form that frameworks use.
///
/// - `{"email": ["..."]}` (Django REST framework)
/// - `{"errors": {"email": ["..."]}}` (Laravel, Rails), also beneath `details`, `fields`,
///   `field_errors`
/// - `{"errors": [{"field": "email", "message": "..."}]}` (Spring, express-validator),
///   `violations`, `invalid-params` (RFC 9457, section 3.1)
/// - `{"detail": [{"loc": ["body", "email"], "msg": "..."}]}` (FastAPI)
/// - `{"message": ["...", "..."]}` (NestJS), which names no field
struct FieldProblems {
  /// The problems that name a field.
  private(set) var problems: [FieldProblem] = []
  /// The first text that names no field.
  private(set) var general: String?
  /// Whether `message` is a list of texts, as the validation of NestJS answers.
  private(set) var isListOfMessages = false
  private let sent: (secret: SharedSecret, search: SecretSearch)?
  private let field: (String) -> String
  /// How many texts may still be examined: each comparison with the password takes time.
  private var textsLeft = mostTexts

  /// Members that hold a map of fields, or a list of problems.
  private static let containers: Set<[UInt8]> = Set(
    [
      "errors", "fields", "field_errors", "fieldErrors", "violations", "invalid-params",
      "invalid_params", "validation_errors", "validationErrors",
    ].map { Array($0.utf8) }
  )
  /// Members that hold a list of problems or one of `containers`.
  ///
  /// Their other members are not fields.
  private static let envelopes: Set<[UInt8]> = Set(
    ["error", "detail", "details", "message"].map { Array($0.utf8) }
  )
  private static let general: Set<[UInt8]> = Set(
    ["non_field_errors", "__all__", "base", "_", ""].map { Array($0.utf8) }
  )
  private static let fields = [
    "field", "path", "param", "name", "propertyPath", "pointer", "loc", "property",
  ]
  private static let texts = [
    "message", "msg", "reason", "detail", "defaultMessage", "description",
  ]
  /// The most members, elements and levels that are examined.
  private static let mostMembers = 64
  private static let mostLevels = 3
  private static let mostTexts = 64

  /// - Parameters:
  ///   - object: the answer.
  ///   - sent: the password that was sent; a text that quotes it is dropped.
  ///   - field: maps a member name of the backend to our name.
  init(of object: JSONObject, hiding sent: SharedSecret?, field: @escaping (String) -> String) {
    self.sent = sent.map { secret in
      (secret, secret.bytes.withBytes { SecretSearch($0) })
    }
    self.field = field
    read(members: object, level: 1, isMap: false)
  }

  /// All problems in one line.
  var summary: String? {
    guard !problems.isEmpty else { return nil }
    let text = problems.map { "\($0.field): \($0.message)" }.joined(separator: "; ")
    return DisplayText.of(text, most: 200)
  }

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - object: the answer, or the value of a container or an envelope.
  ///   - level: its depth.
  ///   - isMap: whether its members are fields; only then a single text is a problem.
  private mutating func read(members object: JSONObject, level: Int, isMap: Bool) {
    guard level <= Self.mostLevels else { return }
    for member in object.members.prefix(Self.mostMembers) {
      let name = Array(member.name.utf8)
      let isContainer = Self.containers.contains(name)
      switch member.value {
      case .object(let nested) where isContainer || Self.envelopes.contains(name):
        read(members: nested, level: level + 1, isMap: isContainer)
      case .array(let elements) where isContainer || Self.envelopes.contains(name):
        read(list: elements)
        if name.elementsEqual("message".utf8), general != nil { isListOfMessages = true }
      // A field under its own name holds a list of texts.
      case .array(let texts): read(texts, of: member.name)
      case .string where isMap, .secret where isMap: note(member.value, of: member.name)
      default: continue
      }
    }
  }

  /// Reads a list of problems.
  ///
  /// An echo of the form in the list, such as FastAPI's `input`, is not a problem.
  private mutating func read(list elements: [JSONValue]) {
    for element in elements.prefix(Self.mostMembers) {
      switch element {
      case .string, .secret: note(element, of: "")
      case .object(let object): note(object)
      default: continue
      }
    }
  }

  /// `{"field": ..., "message": ...}`.
  private mutating func note(_ object: JSONObject) {
    var field: String?
    for name in Self.fields where field == nil { field = object[name].flatMap(Self.field) }
    if field == nil, case .object(let source) = object["source"] {
      field = source["pointer"].flatMap(Self.field)
    }
    guard let field, let text = Self.text(in: object) else { return }
    note(text, of: field)
  }

  /// The text of `{"message": ...}`.
  private static func text(in object: JSONObject) -> JSONValue? {
    texts.lazy.compactMap { object[$0] }.first { value in
      switch value {
      case .string, .secret: true
      default: false
      }
    }
  }

  /// The last part of a path such as `["body", "email"]`, `/data/email` or `email`.
  private static func field(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text) where text.utf8.count <= 256:
      text.split { $0 == "/" || $0 == "#" }.last.map(String.init)
    case .array(let parts):
      if case .string(let text) = parts.last { text } else { nil }
    default: nil
    }
  }

  /// A list of texts, or of objects with a text.
  private mutating func read(_ texts: [JSONValue], of name: String) {
    for text in texts.prefix(Self.mostMembers) {
      switch text {
      case .string, .secret: note(text, of: name)
      case .object(let object): if let text = Self.text(in: object) { note(text, of: name) }
      default: continue
      }
    }
  }

  private mutating func note(_ text: JSONValue, of name: String) {
    guard problems.count < FieldProblem.most, textsLeft > 0 else { return }
    textsLeft -= 1
    if Self.general.contains(Array(name.utf8)) {
      general = general ?? shown(text)
      return
    }
    guard name.utf8.count <= 64, name.utf8.allSatisfy(Self.isOfName) else { return }
    let field = field(name)
    // One problem for each field is enough. The first is the most important.
    guard !problems.contains(where: { $0.field.isByteEqual(to: field) }),
      let message = shown(text)
    else { return }
    problems.append(FieldProblem(field: field, message: message))
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The text as it is shown; `nil` if nothing is left, or it quotes the password.
  private func shown(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text):
      return quotesPassword(text) ? nil : DisplayText.of(text, most: Self.mostText)
    // The JSON reader treats the value of the password's field as a secret. Here the value is a
    // text about the password, unless it quotes the password. Only a comparison shows that.
    case .secret(let secret):
      guard sent != nil, (1...4 * Self.mostText).contains(secret.bytes.count) else {
        return Self.noText
      }
      let text = unsafe secret.bytes.withUnsafeBytes { bytes in
        unsafe String(validating: bytes, as: UTF8.self)
      }
      guard let text, !quotesPassword(text) else { return Self.noText }
      return DisplayText.of(text, most: Self.mostText)
    default: return nil
    }
  }

  private func quotesPassword(_ text: String) -> Bool {
    guard let sent else { return false }
    return sent.secret.bytes.withBytes { sent.search.finds($0, in: text) }
  }

  private static let mostText = 200
  private static let noText = "is not accepted"
}
