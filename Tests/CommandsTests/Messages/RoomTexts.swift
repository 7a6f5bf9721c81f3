import System
import TestSupport

/// Lists of all texts of a room, in a file with the room's name.
///
/// A file has lists, each with a title (`== The engine`) and the folders that it covers
/// (`< Sources/VaultServer`), and the catalog that has more of its texts, if there is one
/// (`& Sources/Translations/thumblatch.pot`). Another line is `situation | text`, or
/// `! fault | part` for a part of a literal that no situation brings. In a text, a value between
/// words is marked: `‹work›`.
enum RoomTexts {
  private static let folder = "Tests/CommandsTests/Messages/Rooms"
  private static let ending = ".txt"

  /// A line that is in no list.
  struct SyntaxError: Error {
    let line: String
  }

  /// The rooms that have a file.
  static var rooms: [String] {
    get throws {
      try Directory(path: "\(BuiltPrograms.sourceDirectory)/\(folder)").names()
        .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }
  }

  /// The lists in the file of a room.
  static func lists(of room: String) throws -> [StatedTexts] {
    let file = try InterfaceFile.read("\(folder)/\(room)\(ending)")
    var lists: [StatedTexts] = []
    for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("== ") {
        lists.append(StatedTexts(title: String(line.dropFirst(3)), folders: [], entries: []))
        continue
      }
      guard var list = lists.popLast() else { throw SyntaxError(line: String(line)) }
      if line.hasPrefix("< ") {
        list.folders.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("& ") {
        list.catalog = try catalog(String(line.dropFirst(2)))
      } else if line.hasPrefix("! ") {
        let (fault, text) = try halves(line.dropFirst(2))
        list.unreachable.append((fault, text))
      } else {
        let (what, text) = try halves(line)
        list.entries.append((what, text))
      }
      lists.append(list)
    }
    return lists
  }

  /// The texts of a file for translators, in small letters.
  ///
  /// In the source, a text may continue on the next line, and its quotes are escaped.
  private static func catalog(_ path: String) throws -> String {
    let text = String(decoding: try InterfaceFile.read(path), as: UTF8.self)
    let whole = text.replacing("\"\n\"", with: "").replacing("\\\"", with: "\"")
    return SourceTexts.flowing(whole).lowercased()
  }

  private static func halves(_ line: Substring) throws -> (String, String) {
    guard let mark = line.firstRange(of: " | ") else { throw SyntaxError(line: String(line)) }
    return (String(line[..<mark.lowerBound]), String(line[mark.upperBound...]))
  }

  /// The parts of a room's literals that are missing in the lists of their file.
  static func missing(in room: String, _ stated: [StatedTexts]) throws -> [SourceTexts.Part] {
    let folder = "Sources/\(room)"
    let lists = stated.filter { list in
      list.folders.contains { $0 == folder || $0.hasPrefix(folder + "/") }
    }
    let texts = lists.map { list in
      list.entries.map { StatedTexts.unmarked($0.text).lowercased() }.joined(separator: "\n")
    }
    return try SourceTexts(of: folder).parts.filter { part in
      let text = part.text.lowercased()
      return !zip(lists, texts).contains { list, texts in
        list.covers(part.file)
          && (SourceTexts.finds(text, in: texts) || SourceTexts.finds(text, in: list.catalog)
            || list.unreachable.contains { $0.text == part.text })
      }
    }
  }
}
