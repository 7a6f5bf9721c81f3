package import JSON

/// A provider's profile of a person, as its own JSON object.
package struct ProviderProfile: Sendable {
  /// The object, without members that hold secrets.
  package let object: JSONObject

  package init(object: JSONObject) {
    self.object = object
  }
}
