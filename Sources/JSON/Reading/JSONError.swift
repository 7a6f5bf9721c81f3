public import SecretMemory

/// Why JSON text could not be read or written, or a value was not the requested one.
///
/// It holds only offsets and the names that *we* requested, never any of the text.
public enum JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is longer than `JSONReader.maximumCount`.
  case tooLong(Int)
  /// The text ends inside its value: more bytes could complete it.
  case truncated
  /// A byte that is not valid JSON at this offset.
  case unexpected(offset: Int)
  /// The bytes are not UTF-8.
  case notText
  /// A `\u` escape of half a surrogate pair.
  case loneSurrogate(offset: Int)
  /// A NUL in a string, written in any way: C would end the string there.
  case containsNUL
  /// A member name over `JSONReader.maximumName` bytes, or with a run of combining marks.
  case unusableName(offset: Int)
  /// A secret that is not a text.
  case unusableSecret(offset: Int)
  /// A member name that occurs twice in an object.
  case duplicateMember(offset: Int)
  /// Arrays and objects nested deeper than `JSONReader.maximumDepth`.
  case tooDeep
  /// More arrays and objects than `JSONReader.maximumContainers`.
  case tooManyContainers
  /// A number that does not fit a `Double`, or is not finite.
  case numberOutOfRange
  /// More secrets than `JSONReader.maximumSecrets`.
  case tooManySecrets
  /// No memory for a secret.
  case memory(SecretMemoryError)
  /// A secret in a value that was about to be written to ordinary memory.
  case secretInOrdinaryMemory
  /// The object has no member of this name.
  case missing(String)
  /// The member of this name has another type, or is a number out of range.
  case wrongType(String)

  /// The problem, without any of the text.
  public var description: String {
    switch self {
    case .tooLong(let count): "JSON text of \(count) bytes is too long"
    case .truncated: "JSON text ends too early"
    case .unexpected(let offset): "not JSON at byte \(offset)"
    case .notText: "JSON text is not UTF-8"
    case .loneSurrogate(let offset): "half a surrogate pair at byte \(offset)"
    case .containsNUL: "a JSON string contains NUL"
    case .unusableName(let offset): "a member name that is too long, at byte \(offset)"
    case .unusableSecret(let offset): "a secret that is not text, at byte \(offset)"
    case .duplicateMember(let offset): "a member name comes twice, at byte \(offset)"
    case .tooDeep: "JSON text is nested too deeply"
    case .tooManyContainers: "JSON text with too many arrays and objects"
    case .numberOutOfRange: "a JSON number is out of range"
    case .tooManySecrets: "JSON text with too many secrets"
    case .memory(let error): "\(error)"
    case .secretInOrdinaryMemory: "a secret would be written to ordinary memory"
    case .missing(let name): "`\(name)` is missing"
    case .wrongType(let name): "`\(name)` is of the wrong type"
    }
  }
}
