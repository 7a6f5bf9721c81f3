public import JSON
public import SecretMemory

/// A place to sign in, as a provider file describes it.
public struct VaultProvider: VarlinkRecord, WireValue, Equatable {
  /// Its name.
  public var name: String
  /// The keys of its [Provider] section; a certificate authority by its contents.
  public var settings: [String: String]
  /// The value of the key `client_secret`, where it is none of the settings.
  public var clientSecret: SharedSecret?

  private typealias Members = ProviderMembers

  /// Of these parts.
  public init(name: String, settings: [String: String], clientSecret: SharedSecret? = nil) {
    self.name = name
    self.settings = settings
    self.clientSecret = clientSecret
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required(Members.name)
    let settings = Members.settings.name
    var members: JSONObject = try object.required(settings)
    do throws(MessageError) {
      clientSecret = try members.optional(Members.settingsSecret)
    } catch {
      throw error.inside(settings)
    }
    members[Members.settingsSecret.name] = nil
    self.settings = try Dictionary.from(.object(members), name: settings)
  }

  /// The members as JSON; the settings in the order of their keys.
  public var encoded: JSONObject {
    get throws(MessageError) {
      guard let clientSecret else {
        return try .wire([Members.name(name), Members.settings(settings)])
      }
      var members = settings.map { ($0.key, JSONValue.string($0.value)) }
      members.append((Members.settingsSecret.name, .secret(clientSecret)))
      return try .wire([
        Members.name(name),
        (Members.settings.name, JSONObject(members.sorted { $0.0 < $1.0 })),
      ])
    }
  }

  /// Whether both are the same; secrets are compared in constant time.
  public static func == (left: VaultProvider, right: VaultProvider) -> Bool {
    guard left.name == right.name, left.settings == right.settings else { return false }
    switch (left.clientSecret, right.clientSecret) {
    case (nil, nil): return true
    case (let left?, let right?):
      return SecretBytes.constantTimeEqual(left.bytes, right.bytes)
    default: return false
    }
  }
}
