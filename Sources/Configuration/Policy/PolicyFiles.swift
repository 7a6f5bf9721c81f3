/// The sections of a policy, from several files.
///
/// The files are added in their order: `thumblatch.conf`, then its drop-ins. Sections of one name
/// are one section: of a key that several files set, the last value counts. The sections are read
/// when all files are there, so a value that a later file replaces is not looked at.
package struct PolicyFiles {
  /// The directory of drop-ins beside the policy file.
  package static let dropIns = "conf.d"
  /// The ending of a drop-in's name.
  package static let ending = ".conf"
  /// The most drop-ins.
  ///
  /// More are an error: a rule in a file that is not read would not hold.
  package static let mostDropIns = 64

  /// The location of a key in a file.
  package struct Location: Sendable, Equatable, CustomStringConvertible {
    package let file: String
    package let line: Int

    package var description: String { "\(ConfigurationError.shown(file)):\(line)" }
  }

  /// A value that a later file replaced.
  package struct Replaced: Sendable, Equatable {
    package let key: String
    package let location: Location
    /// The location of the value that counts.
    package let by: Location
  }

  /// A file of the policy, read but not interpreted.
  package struct Source: Sendable, Equatable {
    /// The path of the file, for errors.
    package let file: String
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
      (self.file, self.bytes) = (file, bytes)
    }
  }

  private struct Section {
    let name: String
    let location: Location
    var entries: [String: (value: String, location: Location)] = [:]

    var values: [String: String] { entries.mapValues(\.value) }
  }

  private var sections: [Section] = []
  private var positions: [String: Int] = [:]
  /// The values that do not count, in the order of the files.
  package private(set) var replaced: [Replaced] = []

  package init() {}

  /// Adds all files of a policy in their order.
  package init(_ sources: [Source]) throws(ConfigurationError) {
    for source in sources { try add(source) }
  }

  /// Whether a file with this name is a drop-in.
  ///
  /// Hidden files are those of editors.
  package static func isDropIn(_ name: String) -> Bool {
    name.hasSuffix(ending) && !name.hasPrefix(".")
  }

  /// Adds a file.
  ///
  /// - Throws: an error with file and line if the file is not a key file.
  package mutating func add(_ source: Source) throws(ConfigurationError) {
    guard let text = String(validating: source.bytes, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter, file: source.file)
    }
    for section in try KeyFile(text: text, file: source.file).sections {
      add(section, of: source.file)
    }
  }

  private mutating func add(_ section: KeyFile.Section, of file: String) {
    if positions[section.name] == nil {
      positions[section.name] = sections.count
      sections.append(
        Section(name: section.name, location: Location(file: file, line: section.line))
      )
    }
    guard let position = positions[section.name] else { return }
    for (key, entry) in section.entries.all {
      let location = Location(file: file, line: entry.line)
      if let earlier = sections[position].entries[key] {
        replaced.append(Replaced(key: key, location: earlier.location, by: location))
      }
      sections[position].entries[key] = (entry.value, location)
    }
  }

  /// The policy of all files.
  ///
  /// - Throws: the first error, with file and line, also for unknown keys and values out of range:
  ///   a misspelled rule would have no effect.
  package func policy() throws(ConfigurationError) -> Policy {
    var policy = Policy()
    for section in sections { try Self.read(section, into: &policy) }
    return policy
  }

  /// The errors of all sections: one for each bad key.
  package func errors() -> [ConfigurationError] {
    var errors: [ConfigurationError] = []
    for var section in sections {
      var policy = Policy()
      while true {
        do throws(ConfigurationError) {
          try Self.read(section, into: &policy)
        } catch {
          errors.append(error)
          // The next error of the section shows without the bad key.
          guard let key = error.key, section.entries.removeValue(forKey: key) != nil else { break }
          continue
        }
        break
      }
    }
    return errors
  }

  /// The location of a rule's value; `nil` if no file sets it.
  package func location(of key: Policy.Key) -> Location? {
    positions[Policy.section].flatMap { sections[$0].entries[key.rawValue]?.location }
  }

  /// The location of `desktop` in a rule for callers; `nil` if no file sets it.
  package func locationOfDesktop(in rule: NamedRule) -> Location? {
    positions[NamedRule.section + rule.name].flatMap { sections[$0].entries["desktop"]?.location }
  }

  private static func read(
    _ section: Section,
    into policy: inout Policy
  ) throws(ConfigurationError) {
    do throws(ConfigurationError) {
      try policy.read(section.values, of: section.name)
    } catch {
      let location = error.key.flatMap { section.entries[$0]?.location } ?? section.location
      throw error.at(file: location.file, line: location.line)
    }
  }
}
