/// A method of proving presence.
public enum PresenceMethod: String, Sendable, CaseIterable {
  /// A finger on the reader.
  case fingerprint
  /// A touch of an enrolled security key.
  case key
  /// The password of the system user.
  case password
}

// The properties that other rooms decide by, so that a new method is a change here only.
extension PresenceMethod {
  /// The methods by a device, in the order in which they are offered.
  public static let devices = allCases.filter(\.isDevice)
  /// The methods by typing.
  public static let typed = allCases.filter { !$0.isDevice }
  /// The method that can be used if no other one can.
  public static let fallback = PresenceMethod.password

  /// Whether the person touches a device; otherwise the person types the answer to a question.
  ///
  /// A device counts only at the seat of the machine, and not during a lockout. A typed method ends
  /// a lockout, and confirms changed fingers.
  public var isDevice: Bool {
    switch self {
    case .fingerprint, .key: true
    case .password: false
    }
  }

  /// Whether its check may ask a question: the system password, or the PIN of a key.
  public var mayAsk: Bool {
    switch self {
    case .fingerprint: false
    case .key, .password: true
    }
  }
}

// The words of a method, for the person who is asked.
extension PresenceMethod {
  /// The name of the method.
  public var name: String {
    switch self {
    case .fingerprint: "fingerprint"
    case .key: "security key"
    case .password: "system password"
    }
  }

  /// The means by which a check is passed.
  public var means: String {
    switch self {
    case .fingerprint: "a finger"
    case .key: "a security key"
    case .password: "the system password"
    }
  }

  /// The request to the person, which "to use account 'me'" completes.
  public func request(_ scan: ScanType) -> String {
    switch (self, scan) {
    case (.fingerprint, .press): "Touch the fingerprint reader"
    case (.fingerprint, .swipe): "Swipe your finger over the fingerprint reader"
    case (.key, _): "Touch the security key"
    case (.password, _): "Type the system password"
    }
  }

  /// The request after a try that did not pass.
  public func nextRequest(_ scan: ScanType) -> String {
    switch (self, scan) {
    case (.fingerprint, .press): "Touch the reader again"
    case (.fingerprint, .swipe): "Swipe the finger again"
    case (.key, _): "Touch the security key"
    case (.password, _): "Try again"
    }
  }

  /// The failure of a try, in words of this method; `nil` if the outcome has the same words for
  /// all.
  public func failure(_ outcome: PresenceOutcome) -> String? {
    switch (self, outcome) {
    case (.fingerprint, .noMatch): "The finger did not match"
    case (.fingerprint, .notAvailable): "The fingerprint reader is not available"
    case (.password, .noMatch): "Wrong password"
    case (.password, .denied): "The system refuses this user"
    case (.password, .notAvailable): "The system password could not be checked"
    case (.key, .noMatch): "The security key's answer does not prove a touch"
    case (.key, .notAvailable): "The security key is not available"
    case (.fingerprint, _), (.key, _), (.password, _): nil
    }
  }
}
