internal import System

/// Adds the option for the vault to the commands in a text for a person.
///
/// The texts of the engine and of its clients name commands without that option. A private vault
/// beside a service needs it: without the option, the command would use the service.
package struct CommandText: Sendable {
  private static let name = "thumblatch"
  private static let option = " --private"

  /// Whether the commands need the option.
  package let needsOption: Bool
  /// The first words of the verbs that take the option.
  private let verbs: Set<String>

  /// The commands for a vault that needs no option.
  package init() { (needsOption, verbs) = (false, []) }

  /// The commands for a vault.
  ///
  /// - Parameters:
  ///   - location: the vault.
  ///   - verbs: the first words of the verbs that use the vault of the caller.
  ///   - environment: the variables that choose a vault.
  package init(
    for location: VaultLocation,
    verbs: Set<String>,
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) {
    needsOption = location.needsOption(environment: environment)
    self.verbs = verbs
  }

  /// The beginning of a command.
  package var program: String { Self.name + (needsOption ? Self.option : "") }

  /// A text with the option in each of its commands.
  ///
  /// A command may continue on the next line.
  package func adapted(_ text: String) -> String {
    guard needsOption else { return text }
    let bytes = Array(text.utf8)
    var adapted: [UInt8] = []
    var start = 0
    for place in bytes.ranges(of: Array(Self.name.utf8)) {
      guard place.lowerBound == 0 || !Self.isPart(bytes[place.lowerBound - 1]),
        beginsWithVerb(bytes[place.upperBound...])
      else { continue }
      adapted += bytes[start..<place.upperBound] + Array(Self.option.utf8)
      start = place.upperBound
    }
    return String(decoding: adapted + bytes[start...], as: UTF8.self)
  }

  /// Whether a text continues with a space or a line's end, and a verb.
  ///
  /// Between the columns of a table there are more spaces.
  private func beginsWithVerb(_ text: ArraySlice<UInt8>) -> Bool {
    let words = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    let gap = text[..<words.startIndex]
    guard gap.count == 1 || gap.contains(UInt8(ascii: "\n")) else { return false }
    let word = words.prefix { Self.isLowercase($0) || $0 == UInt8(ascii: "-") }
    let next = words.dropFirst(word.count).first
    guard next.map(Self.isPart) != true || next == UInt8(ascii: ".") else { return false }
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
