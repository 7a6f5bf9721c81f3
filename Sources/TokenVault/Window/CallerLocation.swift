/// The location of a caller.
///
/// An unlock window and a shared check are bound to it. It also says whether a finger on this
/// machine's reader can be that of the caller's person.
package struct CallerLocation: Sendable, Equatable {
  /// The single location of all callers, if they are not distinguished.
  package static let everywhere = CallerLocation(
    name: "",
    objection: nil,
    isLocal: true,
    hasSession: true
  )

  /// The same for all callers that belong together.
  package let name: String
  /// Why no finger counts; `nil` if fingers count.
  package let objection: String?
  /// Whether it is certain that the person is at this machine, and not somewhere on the network.
  package let isLocal: Bool
  /// Whether the caller belongs to a session of a person; `nil` if that is not known.
  package let hasSession: Bool?
  /// Whether no finger counts because the screen of the session is locked.
  package let isLocked: Bool

  package init(
    name: String,
    objection: String?,
    isLocal: Bool,
    hasSession: Bool? = nil,
    isLocked: Bool = false
  ) {
    self.name = name
    self.objection = objection
    self.isLocal = isLocal
    self.hasSession = hasSession
    self.isLocked = isLocked
  }

  /// A location that one connection shares with no other.
  package static func alone(
    _ connection: UInt64,
    objection: String,
    isLocal: Bool = false,
    hasSession: Bool? = nil
  ) -> CallerLocation {
    CallerLocation(
      name: aloneName(connection),
      objection: objection,
      isLocal: isLocal,
      hasSession: hasSession
    )
  }

  static func aloneName(_ connection: UInt64) -> String { "connection \(connection)" }
}

/// Finds the locations of callers.
package protocol CallerLocations: Sendable {
  /// The present location of a caller.
  ///
  /// It does not fail, and takes no longer than a few seconds. An unknown location is shared with
  /// no other caller, and no finger counts there.
  func location(of caller: Caller) async -> CallerLocation
}
