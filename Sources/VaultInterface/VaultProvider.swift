public import JSON
public import SecretMemory
public import Varlink

/// A provider, as a provider file describes it.
public struct VaultProvider: VarlinkRecord, WireValue, Equatable {
  /// Its name.
  public var name: String
  /// The keys of its [Provider] section.
  ///
  /// The value of a certificate authority is its contents.
  public var settings: [String: String]
  /// The value of the key `client_secret`, if it is not among the settings.
  public var clientSecret: SharedSecret?

  /// The key of the settings whose value is secret.
  private static let secretKey = "client_secret"

  /// Makes a provider.
  public init(name: String, settings: [String: String], clientSecret: SharedSecret? = nil) {
    self.name = name
    self.settings = settings
    self.clientSecret = clientSecret
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    var members = try object.members(of: "settings")
    do throws(MessageError) {
      clientSecret = try members.optional(Self.secretKey)
    } catch {
      throw error.inside("settings")
    }
    members[Self.secretKey] = nil
    settings = try Dictionary.from(.object(members), name: "settings")
  }

  /// The members as JSON.
  ///
  /// The settings are sorted by key.
  public var encoded: JSONObject {
    get throws(MessageError) {
      var members = settings.map { ($0.key, JSONValue.string($0.value)) }
      if let clientSecret { members.append((Self.secretKey, .secret(clientSecret))) }
      return try .wire(["name": name, "settings": JSONObject(members.sorted { $0.0 < $1.0 })])
    }
  }

  /// Whether both are the same.
  ///
  /// Secrets are compared in constant time.
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
