internal import System
internal import TokenVault

/// Names the program that asks, as far as that is known.
///
/// The text is only for people to read. No decision depends on it.
enum Provenance {
  /// The prefix of our own programs' names.
  private static let own = "thumblatch"
  private static let mostSteps = 8

  /// The requester of a process, such as `"git", PID 4211`.
  ///
  /// The name is the one that the process gives itself. A program of ours asks on behalf of another
  /// program. If the file of ours is an installed one, the text names the nearest ancestor that is
  /// not ours. Any process may call itself `thumblatch`, and the engine may not read the file of
  /// most processes (proc(5), /proc/PID/exe). The text then names both:
  /// `"thumblatch-cli" run by "bash", PID 4211`.
  static func requester(of process: Int32) -> String {
    var ancestry = Ancestry(of: process)
    return requester(of: process, &ancestry)
  }

  /// The same, by the ancestry of the process.
  static func requester(of process: Int32, _ ancestry: inout Ancestry) -> String {
    var process = process
    for step in 0..<mostSteps {
      guard let facts = ancestry.entry(step)?.facts else { break }
      let name = "\"\(displayable(facts.name))\""
      guard facts.name.hasPrefix(own), facts.parent > 1 else { return "\(name), PID \(process)" }
      guard InstalledProgram.isRun(by: process) else {
        guard let parent = ancestry.entry(step + 1)?.facts else {
          return "\(name), PID \(process)"
        }
        return "\(name) run by \"\(displayable(parent.name))\", PID \(facts.parent)"
      }
      process = facts.parent
    }
    return "an unknown program, PID \(process)"
  }

  /// The name as it can be shown in quotes: it has no quote, and only one writing direction.
  ///
  /// Otherwise a program could call itself `bash", PID 1`, or make the numbers after its name
  /// appear before it.
  static func displayable(_ name: String) -> String {
    let kept = name.unicodeScalars.map { scalar -> Character in
      switch scalar {
      case "\"", "\\", ",": return "?"
      case " "..."~": return Character(scalar)
      default: break
      }
      guard !isRightToLeft(scalar), !scalar.properties.isDefaultIgnorableCodePoint else {
        return "?"
      }
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber:
        return Character(scalar)
      default: return "?"
      }
    }
    return kept.isEmpty ? "?" : String(kept)
  }

  /// The blocks of scripts that are written from right to left (Unicode, DerivedBidiClass).
  private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}
