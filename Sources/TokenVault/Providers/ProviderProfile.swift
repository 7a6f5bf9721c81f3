public import JSON

/// A provider's profile of a person, as its own JSON object.
public struct ProviderProfile: Sendable {
  /// The object, without members that hold secrets.
  public let object: JSONObject

  /// Wraps an object.
  public init(object: JSONObject) {
    self.object = object
  }
}
