internal import PlainText

/// A key file: sections in brackets, and lines `key = value` in them.
///
/// `#` and `;` begin a comment only at the start of a line, so a value may hold them. There are no
/// quotes, escapes or continued lines. A duplicate is an error, because a person who reads the file
/// cannot know which value counts.
struct KeyFile {
  /// The most bytes of a file.
  static let maximumCount = 64 * 1024

  struct Entry: Equatable {
    let value: String
    let line: Int
  }

  struct Section {
    let name: String
    let line: Int
    fileprivate(set) var entries = NamedValues<Entry>()

    /// The values by their keys.
    var values: [String: String] {
      Dictionary(uniqueKeysWithValues: entries.all.map { ($0.name, $0.value.value) })
    }
  }

  let file: String
  private(set) var sections: [Section] = []
  /// Searching the array would be quadratic: 64 KiB hold 12,000 sections.
  private var names = NamedValues<Int>()

  init(text: String, file: String) throws(ConfigurationError) {
    self.file = file
    guard text.utf8.count <= Self.maximumCount else {
      throw ConfigurationError(.tooLarge(Self.maximumCount), file: file)
    }
    let mark = "\u{FEFF}".utf8
    let body = text.utf8.starts(with: mark) ? text.utf8.dropFirst(mark.count) : text.utf8[...]
    let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
      guard !line.isEmpty else { continue }
      do throws(ConfigurationError) {
        try read(Substring(line), number: index + 1)
      } catch {
        throw error.at(file: file, line: index + 1)
      }
    }
  }

  private mutating func read(_ line: Substring, number: Int) throws(ConfigurationError) {
    // Check this before any comparison: a run of combining marks makes comparisons slow.
    guard String(line).isStreamSafe, line.unicodeScalars.allSatisfy(Self.isText) else {
      throw ConfigurationError(.badCharacter)
    }
    // Bytes, because all characters with a meaning are ASCII, and a search for graphemes is slow.
    let line = line.trimmingSpaces().utf8
    guard let first = line.first, !"#;".utf8.contains(first) else { return }
    if first == UInt8(ascii: "[") {
      guard line.last == UInt8(ascii: "]"), line.count > 2 else {
        throw ConfigurationError(.badLine)
      }
      let name = String(Substring(line.dropFirst().dropLast()))
      guard Self.isASCII(name) else { throw ConfigurationError(.unknownSection(name)) }
      guard names.add(number, named: name) else { throw ConfigurationError(.repeatedSection(name)) }
      sections.append(Section(name: name, line: number))
      return
    }
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw ConfigurationError(.badLine)
    }
    let key = String(Substring(line[..<equals]).trimmingSpaces())
    guard !key.isEmpty else { throw ConfigurationError(.badLine) }
    guard let current = sections.indices.last else { throw ConfigurationError(.keyOutsideSection) }
    guard Self.isASCII(key) else { throw ConfigurationError(.unknownKey, key: key) }
    let value = String(Substring(line[equals...].dropFirst()).trimmingSpaces())
    let entry = Entry(value: value, line: number)
    guard sections[current].entries.add(entry, named: key) else {
      throw ConfigurationError(.repeatedKey, key: key)
    }
  }

  /// Returns the only section that the file may have.
  func only(_ name: String) throws(ConfigurationError) -> Section {
    if let other = sections.first(where: { $0.name != name }) {
      throw ConfigurationError(.unknownSection(other.name), file: file, line: other.line)
    }
    guard let section = sections.first else {
      throw ConfigurationError(.missingSection(name), file: file)
    }
    return section
  }

  /// Runs `body` and adds the line of the key to its errors.
  func locating<Value>(
    in section: Section,
    _ body: () throws(ConfigurationError) -> Value
  ) throws(ConfigurationError) -> Value {
    do throws(ConfigurationError) {
      return try body()
    } catch {
      let entry = error.key.flatMap { section.entries[$0] }
      throw error.at(file: file, line: entry?.line ?? section.line)
    }
  }

  /// Whether a name can be one of ours, which are all ASCII.
  ///
  /// Hashing other names is slow: 4,000 keys of combining marks in one file took 40 ms.
  private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }

  /// Whether a character neither controls a terminal nor changes the writing direction.
  static func isText(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return scalar == "\t" || (" "..."~").contains(scalar) }
    return ![.control, .format].contains(scalar.properties.generalCategory)
  }
}
