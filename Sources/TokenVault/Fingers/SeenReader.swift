package import PresenceTerms

/// A reader, as it describes itself when it is opened.
package struct SeenReader: Sendable, Equatable {
  package let name: String?
  /// libfprint's driver.
  package let driver: String
  /// How it wants to be touched.
  package let scan: ScanType

  /// Puts the facts together.
  package init(name: String?, driver: String, scan: ScanType) {
    self.name = name
    self.driver = driver
    self.scan = scan
  }
}

/// The known facts about the reader, which is not opened for this.
package struct ReaderFacts: Sendable, Equatable {
  /// How it is known.
  package enum Knowledge: Sendable, Equatable {
    /// The system shows what is plugged in.
    case plugged
    /// The system does not show it; it was used the last time.
    case lastUsed
    /// The system does not show such readers, and none was used yet.
    case notLooked
  }

  /// Whether a finger can be asked.
  package var available: Bool
  /// The reader's name.
  package var name: String?
  /// libfprint's driver.
  package var driver: String?
  /// Why it is not available.
  package var reason: String?
  /// Whether a program uses it now.
  package var isInUse: Bool
  /// How this is known.
  package var knowledge: Knowledge

  /// Puts the facts together.
  package init(
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
