import Glibc
import System
import TestSupport

/// Documents with hostile members.
struct Bodies {
  static let size = 65_536 - 1500
  private let members: [String]

  /// Finds the members in the sources of the judges, so that a new one is covered automatically.
  ///
  /// - Parameters:
  ///   - sources: directories and files below `Sources`.
  ///   - members: further members.
  /// - Throws: if a source names no member: then it is no longer the source of a judge.
  init(sources: [String], members: [String] = []) throws {
    var all = Set(members)
    for source in sources {
      let found = try Self.literals(in: BuiltPrograms.sourceDirectory + "/Sources/" + source)
      guard !found.isEmpty else { throw SystemError("members", code: ENOENT, subject: source) }
      all.formUnion(found)
    }
    self.members = all.sorted()
  }

  /// The texts in a Swift file, or in those of a directory and its directories, that could be the
  /// name of a member.
  private static func literals(in path: String) throws -> Set<String> {
    guard path.hasSuffix(".swift") else {
      return try Directory(path: path).names().reduce(into: []) { found, name in
        try found.formUnion(literals(in: path + "/" + name))
      }
    }
    var found: Set<String> = []
    let parts = path.split(separator: "/").map(String.init)
    let directory = try Directory(path: "/" + parts.dropLast().joined(separator: "/"))
    let text = try directory.openForReading(parts[parts.count - 1]).readAll(limit: 1 << 20)
    for (index, part) in text.split(
      separator: UInt8(ascii: "\""),
      omittingEmptySubsequences: false
    ).enumerated()
    where index % 2 == 1 && (2...40).contains(part.count) && part.allSatisfy(isOfName) {
      found.insert(String(decoding: part, as: UTF8.self))
    }
    return found
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "_")
  }

  /// Calls `body` with documents that have one hostile member among ordinary ones, and with
  /// documents that are entirely hostile.
  func each(
    _ ordinary: String,
    _ gauge: Gauge,
    _ body: (String, [UInt8]) throws -> Void
  ) rethrows {
    for filler in Filler.all {
      let value = Value(filler, bytes: Self.size)
      try gauge.measure(filler.name, value, body) { $0 }
      try gauge.measure("a new member: \(filler.name)", value, body) {
        Array(#"{"\#u{e9}":"#.utf8) + $0 + Array(",\(ordinary)}".utf8)
      }
      guard filler.isText else { continue }
      try gauge.measure("a name: \(filler.name)", value, body) {
        Array("{".utf8) + $0 + Array(":0,\(ordinary)}".utf8)
      }
    }
    for filler in Filler.few {
      let value = Value(filler, bytes: Self.size)
      for member in members {
        let rest = Self.without(member, ordinary)
        try gauge.measure("\(member): \(filler.name)", value, body) {
          Array(#"{"\#(member)":"#.utf8) + $0 + Array(",\(rest)}".utf8)
        }
      }
      let part = Value(filler, bytes: Self.size / (members.count + 1))
      try gauge.measure("all members: \(filler.name)", part, body) { small in
        let all = members.map { Array(#""\#($0)":"#.utf8) + small }
        return Array("{".utf8) + all.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
      }
    }
  }

  /// The members without the one of this name.
  static func without(_ member: String, _ ordinary: String) -> String {
    ordinary.split(separator: ",").filter { !$0.hasPrefix("\"\(member)\":") }.joined(separator: ",")
      + #","z":0"#
  }
}
