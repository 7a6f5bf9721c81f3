internal import JSON
internal import OAuth
internal import TokenVault
internal import Varlink
internal import VaultInterface

extension JSONObject {
  /// What a client keeps beside a static secret, which is no secret itself.
  ///
  /// The members of a call with certain names are read as secrets, also inside this object. They are
  /// texts here. A reply reads others as secrets, and those could not be told to a client.
  func asClaims() throws(VaultFailure) -> JSONObject {
    var claims: [(name: String, value: JSONValue)] = []
    for member in members {
      guard !VarlinkInterface.vault.replySecrets.contains(member.name) else {
        throw .invalidArgument("claims have no member \(member.name)")
      }
      claims.append((member.name, try member.value.asClaim()))
    }
    return JSONObject(unique: claims)
  }
}

extension JSONValue {
  fileprivate func asClaim() throws(VaultFailure) -> JSONValue {
    switch self {
    case .secret(let secret): return .string(secret.text)
    case .object(let object): return .object(try object.asClaims())
    case .array(let elements):
      var claims: [JSONValue] = []
      for element in elements { claims.append(try element.asClaim()) }
      return .array(claims)
    default: return self
    }
  }
}
