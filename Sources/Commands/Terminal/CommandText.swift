internal import JSON
internal import VaultClient

/// Adds the option for the vault to the commands in a text for a person.
///
/// The texts of the engine and of this program name commands without that option. A private vault
/// beside a service needs it: without the option, the command would use the service.
struct CommandText {
  private static let name = "thumblatch"
  private static let option = " --private"

  /// The first words of the verbs that use the vault of the caller.
  ///
  /// The other verbs name their vaults themselves, or change the hosts of the helpers. The helpers
  /// use no private vault beside a service.
  private static let verbs = Set(Program.verbs.compactMap(\.words.first))
    .subtracting(["host", "service", "user"])

  /// The members of a result that hold sentences and commands.
  private static let members: Set<String> = [
    "cause", "command", "commands", "finger_reason", "hint", "message", "next", "problem", "reason",
    "remedy", "text",
  ]

  /// Whether the commands need the option.
  private let needsOption: Bool

  /// The commands for a vault that needs no option.
  init() { needsOption = false }

  /// The commands for the vault of a command line.
  init(_ arguments: Arguments, environment: (String) -> String?) {
    // If this command runs without the option, other commands find the same vault without it.
    needsOption =
      arguments.has("--private")
      && VaultLocation.privateVault.needsOption(environment: environment)
  }

  /// The commands for a private vault.
  init(forPrivateVaultIn environment: (String) -> String?) {
    needsOption = VaultLocation.privateVault.needsOption(environment: environment)
  }

  /// The beginning of a command.
  var program: String { Self.name + (needsOption ? Self.option : "") }

  /// A text with the option in each of its commands.
  ///
  /// A command may continue on the next line.
  func adapted(_ text: String) -> String {
    guard needsOption else { return text }
    let bytes = Array(text.utf8)
    var adapted: [UInt8] = []
    var start = 0
    for place in bytes.ranges(of: Array(Self.name.utf8)) {
      guard place.lowerBound == 0 || !Self.isPart(bytes[place.lowerBound - 1]),
        Self.beginsWithVerb(bytes[place.upperBound...])
      else { continue }
      adapted += bytes[start..<place.upperBound] + Array(Self.option.utf8)
      start = place.upperBound
    }
    return String(decoding: adapted + bytes[start...], as: UTF8.self)
  }

  /// An error with the option in the commands of its texts.
  func adapted(_ error: CommandError) -> CommandError {
    guard needsOption else { return error }
    return CommandError(
      error.code,
      adapted(error.message),
      hint: error.hint.map(adapted),
      reason: error.reason,
      status: error.status,
      fields: error.fields,
      facts: adapted(error.facts),
      isSaid: error.isSaid,
      isInDoubt: error.isInDoubt
    )
  }

  /// A result with the option in the commands of its sentences.
  func adapted(_ object: JSONObject) -> JSONObject {
    guard needsOption else { return object }
    return JSONObject(
      unique: object.members.map { name, value in
        (name, adapted(value, isText: Self.members.contains(name)))
      }
    )
  }

  private func adapted(_ value: JSONValue, isText: Bool) -> JSONValue {
    switch value {
    case .string(let text) where isText: .string(adapted(text))
    case .array(let values): .array(values.map { adapted($0, isText: isText) })
    case .object(let object): .object(adapted(object))
    default: value
    }
  }

  /// Whether a text continues with a space or a line's end, and a verb.
  ///
  /// Between the columns of a table there are more spaces.
  private static func beginsWithVerb(_ text: ArraySlice<UInt8>) -> Bool {
    let words = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    let gap = text[..<words.startIndex]
    guard gap.count == 1 || gap.contains(UInt8(ascii: "\n")) else { return false }
    let word = words.prefix { isLowercase($0) || $0 == UInt8(ascii: "-") }
    let next = words.dropFirst(word.count).first
    guard next.map(isPart) != true || next == UInt8(ascii: ".") else { return false }
    return verbs.contains { $0.utf8.elementsEqual(word) }
  }

  private static func isLowercase(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Whether a byte is part of a word or a path.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
    default: isLowercase(byte) || "/._-@".utf8.contains(byte)
    }
  }
}
