internal import System
internal import TokenVault

/// Which program asks, as far as it can be told: for people to read, never to decide by.
enum Provenance {
  /// Names of our own programs, behind which the one that asks is looked for.
  private static let own = "thumblatch"
  private static let mostSteps = 8

  /// Such as `bash, pid 4211`: the nearest ancestor that is not one of our own programs.
  ///
  /// The name is what the process calls itself. It is cut down to what cannot move a cursor or
  /// turn the direction of writing.
  static func requester(of process: Int32) -> String {
    var process = process
    for _ in 0..<mostSteps {
      guard let facts = ProcessFacts(process: process) else { break }
      if !facts.name.hasPrefix(own) || facts.parent <= 1 {
        return "\(displayable(facts.name)), pid \(process)"
      }
      process = facts.parent
    }
    return "an unknown program, pid \(process)"
  }

  private static func displayable(_ name: String) -> String {
    let kept = name.unicodeScalars.map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
        .unassigned:
        "?"
      default: Character(scalar)
      }
    }
    return kept.isEmpty ? "?" : String(kept)
  }
}
