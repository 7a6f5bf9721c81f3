/// The input of a check by fingerprint.
package struct FingerRequest: Sendable {
  /// The own prints, opened.
  package let prints: [LoadedPrint]
  /// The desktop's fingers that take part: exactly these, all of the caller's user.
  package let desktop: DesktopFingers?
  /// The finger that is asked for first if the reader takes one print at a time; `nil` for any.
  package let first: String?
  /// How long it waits for a finger, in seconds.
  package let seconds: Int64
}

/// The input of an enrollment.
package struct EnrollmentRequest: Sendable {
  /// The finger's name.
  package let finger: String
  /// The prints that are enrolled already.
  package let own: [LoadedPrint]
  /// The prints that were deleted, and may still be on the reader that stores them.
  package let former: [LoadedPrint]
  /// How long it waits for each touch, in seconds.
  package let seconds: Int64
}

/// The result of deleting a print on its reader.
package enum PrintDeletion: Sendable, Equatable {
  /// No reader has it any longer: it was deleted, or its reader stores none.
  case gone
  /// It may still be on its reader, for this reason.
  case left(String)
}

/// The desktop's fingers, as they can be seen without starting a program of the desktop.
package enum DesktopView: Sendable, Equatable {
  /// All of them; `nil` if there are none.
  case seen(DesktopFingers?)
  /// The program that knows them does not run.
  case asleep
}
