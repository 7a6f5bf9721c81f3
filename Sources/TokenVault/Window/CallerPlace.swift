/// Where a caller sits: what an unlock window and a shared check are bound to, and whether the finger
/// on this machine's reader can be that of the person who is asked.
public struct CallerPlace: Sendable, Equatable {
  /// The one place of all callers, where nobody tells them apart.
  public static let everywhere = CallerPlace(name: "", objection: nil, isLocal: true)

  /// The same for all callers that belong together.
  public let name: String
  /// Why no finger counts; nil: one does.
  public let objection: String?
  /// Whether it is certain that the person is at this machine, and not somewhere on the network.
  public let isLocal: Bool

  /// Puts the facts together.
  public init(name: String, objection: String?, isLocal: Bool) {
    self.name = name
    self.objection = objection
    self.isLocal = isLocal
  }

  /// A place that one connection shares with no other.
  public static func alone(
    _ connection: UInt64,
    objection: String,
    isLocal: Bool = false
  ) -> CallerPlace {
    CallerPlace(name: aloneName(connection), objection: objection, isLocal: isLocal)
  }

  static func aloneName(_ connection: UInt64) -> String { "connection \(connection)" }
}

/// Tells where callers sit.
public protocol CallerPlaces: Sendable {
  /// Where a caller sits now.
  ///
  /// It does not fail, and takes no longer than a few seconds: what cannot be known is a place that
  /// nobody shares, where no finger counts.
  func place(of caller: Caller) async -> CallerPlace
}
