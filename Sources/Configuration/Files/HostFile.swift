internal import PlainText

/// The account whose token a host gets, and which token.
package struct HostAccount: Sendable, Equatable {
  package let host: TokenHost
  package let account: AccountName
  /// The scopes of the token, separated by spaces; `nil` for the account's own.
  package let scope: String?
  /// The recipient of the token; `nil` for the account's own.
  package let audience: String?
  /// How long the token must stay valid, in seconds; `nil` for the usual time.
  package let minimumLifetime: Int?
  /// The user name to send with the token, if a server expects the token as a password.
  package let username: String?
  /// Whether the server accepts it only as a password, and never as a Bearer token.
  package let isBasic: Bool
  /// Whether docker's login stored the secret, so that docker's protocol lists the host.
  package let isStoredByDocker: Bool

  /// The key that says in which form the server accepts a token.
  package static let schemeKey = "scheme"
  /// The value for a password: HTTP's scheme `Basic`.
  package static let basic = "basic"
  /// The key that names the tool whose login stored the secret.
  package static let storedByKey = "stored-by"
  /// The value for docker and all clients of its protocol.
  package static let docker = "docker"

  fileprivate static let accountKey = "account"
  private static let keys = [
    accountKey, "scope", "audience", "min-ttl", "username", schemeKey, storedByKey,
  ]

  /// Reads the settings of a section, without a dictionary; see `NamedValues`.
  init(_ host: TokenHost, _ section: KeyFile.Section) throws(ConfigurationError) {
    func value<Value>(
      _ key: String,
      _ parse: (String) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
      guard let text = section.entries[key]?.value else { return nil }
      return try ProviderSettings.parsed(text, of: key, parse)
    }
    self.host = host
    let account = try value(Self.accountKey) { name throws(ConfigurationError) in
      try AccountName(name)
    }
    guard let account else { throw ConfigurationError(.missingKey, key: Self.accountKey) }
    self.account = account
    scope = try value("scope") { text throws(ConfigurationError) in
      try OAuthRules.scopes(text).joined(separator: " ")
    }
    audience = try value("audience", ProviderSettings.identifier)
    minimumLifetime = try value("min-ttl", Self.lifetime)
    username = try value("username", Self.username)
    isBasic =
      try value(Self.schemeKey) { text throws(ConfigurationError) in
        try Self.isSet(text, to: Self.basic)
      } ?? false
    isStoredByDocker =
      try value(Self.storedByKey) { text throws(ConfigurationError) in
        try Self.isSet(text, to: Self.docker)
      } ?? false
    // The first in alphabetical order, so that the error is stable.
    let unknown = section.entries.all.map(\.name).filter { !Self.keys.contains($0) }.min()
    if let unknown { throw ConfigurationError(.unknownKey, key: unknown) }
  }

  /// Accepts only `word`.
  private static func isSet(_ text: String, to word: String) throws(ConfigurationError) -> Bool {
    guard text == word else {
      throw ConfigurationError(.badValue(text: text, rule: "\(word), or absent"))
    }
    return true
  }

  /// At most a year, which is the engine's own limit.
  private static func lifetime(_ text: String) throws(ConfigurationError) -> Int {
    guard let seconds = DurationText.seconds(text), (0...31_536_000).contains(seconds) else {
      throw ConfigurationError(
        .badValue(
          text: text,
          rule: "a duration of at most a year with its unit, such as 90s or 15m"
        )
      )
    }
    return Int(seconds)
  }

  /// A colon would end the name in an Authorization header (RFC 7617, section 2).
  private static func username(_ text: String) throws(ConfigurationError) -> String {
    guard !text.contains(":") else {
      throw ConfigurationError(.badValue(text: text, rule: "a user name without a colon"))
    }
    return try ProviderSettings.identifier(text)
  }
}

/// The file `hosts.conf`: a section for each host that gets a token, named after the host.
///
/// The helper protocols of other tools name a host that may come from an untrusted project. Only a
/// host in this file gets a token.
package struct HostFile: Sendable {
  private static let mostHosts = 256

  package private(set) var entries: [HostAccount] = []
  package let text: String
  private let file: String
  /// The lines of each entry, from 1.
  private var lines: [[Int]] = []
  /// The line of each entry's account, from 1.
  private var accountLines: [Int] = []

  /// Reads the file's text; `file` is its name in errors.
  package init(text: String, file: String) throws(ConfigurationError) {
    self.text = text
    self.file = file
    let keyFile = try KeyFile(text: text, file: file)
    if keyFile.sections.count > Self.mostHosts {
      throw ConfigurationError(
        .badValue(text: nil, rule: "a file of at most \(Self.mostHosts) hosts"),
        file: file,
        line: keyFile.sections[Self.mostHosts].line
      )
    }
    // Searching the entries would be quadratic.
    var hosts = NamedValues<Int>()
    for section in keyFile.sections {
      let entry = try keyFile.locating(in: section) { () throws(ConfigurationError) in
        let host = try TokenHost(section.name)
        // A host may be written in several ways.
        guard hosts.add(section.line, named: host.text) else {
          throw ConfigurationError(.repeatedSection(section.name))
        }
        return try HostAccount(host, section)
      }
      entries.append(entry)
      lines.append([section.line] + section.entries.all.map(\.value.line))
      accountLines.append(section.entries[HostAccount.accountKey]?.line ?? section.line)
    }
  }

  /// Reads the bytes of the file.
  package init(bytes: [UInt8], file: String) throws(ConfigurationError) {
    guard let text = try? UTF8Span(validating: bytes.span) else {
      throw ConfigurationError(.badCharacter, file: file)
    }
    try self.init(text: String(copying: text), file: file)
  }

  /// The entry of a host; `nil` if the user did not name it.
  package subscript(host: TokenHost) -> HostAccount? { entries.first { $0.host == host } }

  /// The text with one more section at its end.
  package func adding(
    _ host: TokenHost,
    settings: [(key: String, value: String)]
  ) throws(ConfigurationError) -> String {
    // A line end in a value would be a setting of its own.
    for (key, value) in settings where !value.unicodeScalars.allSatisfy(KeyFile.isText) {
      throw ConfigurationError(.badCharacter, key: key)
    }
    var longer = text
    if !longer.isEmpty { longer += longer.hasSuffix("\n") ? "\n" : "\n\n" }
    longer += "[\(host)]\n"
    for (key, value) in settings { longer += "\(key) = \(value)\n" }
    _ = try HostFile(text: longer, file: file)
    return longer
  }

  /// The text without the section of a host; `nil` if there is none.
  ///
  /// Comments and all other lines stay as they are.
  package func removing(_ host: TokenHost) -> String? { removing { $0.host == host } }

  /// The text without the sections of all hosts of an account; `nil` if there are none.
  package func removing(account: String) -> String? { removing { $0.account.text == account } }

  private func removing(_ isRemoved: (HostAccount) -> Bool) -> String? {
    let removed = zip(entries, lines).filter { entry, _ in isRemoved(entry) }.map { $0.1 }
    guard !removed.isEmpty else { return nil }
    let headers = Set(removed.compactMap { $0.min() })
    let gone = Set(removed.joined())
    let lineFeed = UInt8(ascii: "\n")
    var kept: [UInt8] = []
    for (number, line) in numberedLines {
      if !gone.contains(number) {
        kept.append(contentsOf: line)
      } else if headers.contains(number), kept.suffix(2) == [lineFeed, lineFeed] {
        // The empty line before a section is removed with it.
        kept.removeLast()
      }
    }
    return String(validating: kept, as: UTF8.self)
  }

  /// The text in which the entries of an account have its new name.
  ///
  /// Comments and all other lines stay as they are.
  package func renaming(
    _ account: String,
    to name: AccountName
  ) throws(ConfigurationError) -> String {
    let ofAccount = Set(
      zip(entries, accountLines).compactMap { entry, number in
        entry.account.text == account ? number : nil
      }
    )
    var changed: [UInt8] = []
    for (number, line) in numberedLines {
      guard ofAccount.contains(number), let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
        changed.append(contentsOf: line)
        continue
      }
      let value = line[equals...].dropFirst().drop { " \t".utf8.contains($0) }
      changed.append(contentsOf: line[..<value.startIndex])
      changed.append(contentsOf: name.text.utf8)
      changed.append(contentsOf: value.dropFirst(account.utf8.count))
    }
    let longer = String(decoding: changed, as: UTF8.self)
    _ = try HostFile(text: longer, file: file)
    return longer
  }

  /// The lines with their ends, and their numbers from 1.
  private var numberedLines: [(number: Int, line: Substring.UTF8View)] {
    var found: [(number: Int, line: Substring.UTF8View)] = []
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n"))
      let line = rest[..<(lineFeed.map(rest.index(after:)) ?? rest.endIndex)]
      rest = rest[line.endIndex...]
      found.append((found.count + 1, line))
    }
    return found
  }
}
