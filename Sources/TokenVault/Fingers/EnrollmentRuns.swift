/// The enrollments of fingers, by their connections.
struct EnrollmentRuns {
  private struct Run {
    /// The name of the caller's location.
    let location: String
    /// `nil` while it is being started.
    var conversation: (any EnrollmentConversation)?
  }

  private var runs: [UInt64: Run] = [:]
  /// Enrollments whose helper has not ended yet.
  private var helpers = 0

  var isEmpty: Bool { runs.isEmpty }

  /// Whether a helper may hold the reader.
  var isTakingPrints: Bool { helpers > 0 }

  func isRunning(for connection: UInt64) -> Bool { runs[connection] != nil }

  mutating func begin(for connection: UInt64, at location: String) {
    runs[connection] = Run(location: location)
  }

  mutating func end(for connection: UInt64) { runs[connection] = nil }

  mutating func beginTaking() { helpers += 1 }

  mutating func endTaking() { helpers -= 1 }

  /// Keeps the helper of an enrollment, to cancel it.
  mutating func keep(_ conversation: any EnrollmentConversation, for connection: UInt64) {
    runs[connection]?.conversation = conversation
  }

  /// Ends the enrollment of a connection, and cancels its helper.
  mutating func cancel(for connection: UInt64) {
    runs.removeValue(forKey: connection)?.conversation?.cancel()
  }

  /// The same at one location; `nil` for all.
  mutating func cancel(at location: String?) {
    for (connection, run) in runs where location == nil || run.location == location {
      cancel(for: connection)
    }
  }
}

// How other folders reach the enrollments.
extension Vault {
  /// Whether a finger is being enrolled.
  var isAnyEnrolling: Bool { !enrollments.isEmpty }

  /// Whether the helper of an enrollment may hold the reader.
  var isTakingPrints: Bool { enrollments.isTakingPrints }

  /// Ends the enrollment of a connection.
  func cancelEnrollment(for connection: UInt64) { enrollments.cancel(for: connection) }

  /// Ends the enrollments at one location; `nil` for all.
  func cancelEnrollments(at location: String?) { enrollments.cancel(at: location) }
}
