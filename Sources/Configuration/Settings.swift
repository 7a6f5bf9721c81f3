/// What `thumblatch.conf` sets, in its one section `[Vault]`; all of it has defaults.
///
/// The least lifetime of a token that is given out is not among it: the front, which reads no
/// configuration, would not know.
public struct Settings: Sendable, Equatable {
  /// How long a passed check keeps the vault open, in seconds; each use begins it anew.
  public var unlockWindow = 10 * 60
  /// The longest that a window stays open, however often it is used, in seconds.
  public var unlockLimit = 12 * 60 * 60
  /// How long before its expiry a token is refreshed unasked, in seconds; 0 never.
  public var refreshAhead = 5 * 60
  /// How long a presence prompt waits, in seconds.
  public var promptTimeout = 30
  /// Failed fingers in a row after which only the password counts.
  public var fingerFailures = 5
  /// How long a private engine without work stays, in seconds.
  public var idleExit = 10 * 60

  /// The defaults.
  public init() {}

  /// Reads a file; an empty one gives the defaults.
  ///
  /// - Throws: an error with file and line, for unknown keys too.
  public init(text: String, file: String) throws(ConfigurationError) {
    let keyFile = try KeyFile(text: text, file: file)
    guard !keyFile.sections.isEmpty else { return }
    let section = try keyFile.only("Vault")
    for (key, entry) in section.entries.sorted(by: { $0.value.line < $1.value.line }) {
      try keyFile.locating(in: section) { () throws(ConfigurationError) in
        try set(key, entry.value)
      }
    }
    guard unlockWindow <= unlockLimit else {
      throw ConfigurationError(
        .badValue(text: nil, rule: "at most unlock_limit"),
        key: "unlock_window",
        file: file,
        line: section.entries["unlock_window"]?.line ?? section.entries["unlock_limit"]?.line
      )
    }
  }

  private mutating func set(_ key: String, _ value: String) throws(ConfigurationError) {
    switch key {
    case "unlock_window": unlockWindow = try Self.time(key, value, 0...43_200)
    case "unlock_limit": unlockLimit = try Self.time(key, value, 0...43_200)
    case "refresh_ahead": refreshAhead = try Self.time(key, value, 0...3600)
    case "prompt_timeout": promptTimeout = try Self.time(key, value, 5...120)
    case "idle_exit": idleExit = try Self.time(key, value, 1...86_400)
    case "finger_failures":
      guard let number = Int(value), (1...5).contains(number) else {
        throw ConfigurationError(.badValue(text: value, rule: "a number from 1 to 5"), key: key)
      }
      fingerFailures = number
    default: throw ConfigurationError(.unknownKey, key: key)
    }
  }

  private static func time(
    _ key: String,
    _ value: String,
    _ range: ClosedRange<Int>
  ) throws(ConfigurationError) -> Int {
    let span: TimeSpan
    do throws(ConfigurationError) {
      span = try TimeSpan(value)
    } catch {
      throw ConfigurationError(error.problem, key: key)
    }
    guard range.contains(span.seconds) else {
      throw ConfigurationError(
        .badValue(text: value, rule: "from \(range.lowerBound) to \(range.upperBound) seconds"),
        key: key
      )
    }
    return span.seconds
  }
}
