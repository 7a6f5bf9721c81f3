public import PresenceTerms

/// A reader, as it describes itself when it is opened.
public struct SeenReader: Sendable, Equatable {
  /// Its name.
  public let name: String?
  /// libfprint's driver.
  public let driver: String
  /// How it wants to be touched.
  public let scan: ScanType

  /// Puts the facts together.
  public init(name: String?, driver: String, scan: ScanType) {
    self.name = name
    self.driver = driver
    self.scan = scan
  }
}

/// What is known about the reader, which is not opened for this.
public struct ReaderFacts: Sendable, Equatable {
  /// How it is known.
  public enum Knowledge: Sendable, Equatable {
    /// The system shows what is plugged in.
    case plugged
    /// The system does not show it; it was used the last time.
    case lastUsed
    /// The system does not show such readers, and none was used yet.
    case notLooked
  }

  /// Whether a finger can be asked.
  public var available: Bool
  /// The reader's name.
  public var name: String?
  /// libfprint's driver.
  public var driver: String?
  /// Why it is not available.
  public var reason: String?
  /// Whether a program uses it now.
  public var isInUse: Bool
  /// How this is known.
  public var knowledge: Knowledge

  /// Puts the facts together.
  public init(
    available: Bool,
    name: String?,
    driver: String?,
    reason: String?,
    isInUse: Bool = false,
    knowledge: Knowledge = .plugged
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.reason = reason
    self.isInUse = isInUse
    self.knowledge = knowledge
  }
}
