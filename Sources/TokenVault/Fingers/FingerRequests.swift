/// The input of a check by fingerprint.
public struct FingerRequest: Sendable {
  /// The own prints, opened.
  public let prints: [LoadedPrint]
  /// The desktop's fingers that take part: exactly these, all of the caller's user.
  public let desktop: DesktopFingers?
  /// The finger that is asked for first if the reader takes one print at a time; `nil` for any.
  public let first: String?
  /// How long it waits for a finger, in seconds.
  public let seconds: Int64

  /// Creates a request.
  public init(prints: [LoadedPrint], desktop: DesktopFingers?, first: String?, seconds: Int64) {
    self.prints = prints
    self.desktop = desktop
    self.first = first
    self.seconds = seconds
  }
}

/// The input of an enrolment.
public struct EnrollmentRequest: Sendable {
  /// The finger's name.
  public let finger: String
  /// The prints that are enrolled already.
  public let own: [LoadedPrint]
  /// The prints that were deleted, and may still be on the reader that stores them.
  public let former: [LoadedPrint]
  /// How long it waits for each touch, in seconds.
  public let seconds: Int64

  /// Creates a request.
  public init(finger: String, own: [LoadedPrint], former: [LoadedPrint], seconds: Int64) {
    self.finger = finger
    self.own = own
    self.former = former
    self.seconds = seconds
  }
}

/// The result of deleting a print on its reader.
public enum PrintDeletion: Sendable, Equatable {
  /// No reader has it any longer: it was deleted, or its reader stores none.
  case gone
  /// It may still be on its reader, for this reason.
  case left(String)
}

/// The desktop's fingers, as they can be seen without starting a program of the desktop.
public enum DesktopView: Sendable, Equatable {
  /// All of them; `nil` if there are none.
  case seen(DesktopFingers?)
  /// The program that knows them does not run.
  case asleep
}
