/// What a check by fingerprint is made with.
public struct FingerRequest: Sendable {
  /// The own prints, opened.
  public let prints: [LoadedPrint]
  /// The desktop's fingers that take part, which are those of the caller's user: exactly these.
  public let desktop: DesktopFingers?
  /// The finger that is asked first where the reader takes one print at a time; nil: any.
  public let first: String?
  /// How long it waits for a finger.
  public let seconds: Int64

  /// Puts it together.
  public init(prints: [LoadedPrint], desktop: DesktopFingers?, first: String?, seconds: Int64) {
    self.prints = prints
    self.desktop = desktop
    self.first = first
    self.seconds = seconds
  }
}

/// What an enrolment is made with.
public struct EnrollmentRequest: Sendable {
  /// The finger's name.
  public let finger: String
  /// What is enrolled already.
  public let own: [LoadedPrint]
  /// What was deleted, and may still be on the reader that stores it.
  public let former: [LoadedPrint]
  /// How long it waits for each touch.
  public let seconds: Int64

  /// Puts it together.
  public init(finger: String, own: [LoadedPrint], former: [LoadedPrint], seconds: Int64) {
    self.finger = finger
    self.own = own
    self.former = former
    self.seconds = seconds
  }
}

/// What became of a print that was to be deleted on its reader.
public enum PrintDeletion: Sendable, Equatable {
  /// No reader has it any longer: it was deleted, or its reader stores none.
  case gone
  /// It may still be on its reader, for this reason.
  case left(String)
}

/// What can be seen of the desktop's fingers without starting a program of the desktop.
public enum DesktopView: Sendable, Equatable {
  /// All of them; nil if there are none.
  case seen(DesktopFingers?)
  /// The program that knows them does not run.
  case asleep
}
