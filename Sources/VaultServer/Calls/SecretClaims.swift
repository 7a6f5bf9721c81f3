internal import JSON
internal import OAuth
internal import TokenVault
internal import Varlink
internal import VaultInterface

extension JSONObject {
  /// The data that a client keeps beside a static secret, which is not secret itself.
  ///
  /// The reader of a call takes members with certain names as secrets, also inside this object.
  /// They become texts again here. Names that the reader of a reply takes as secrets are refused,
  /// because no client could read them.
  func asClaims() throws(VaultFailure) -> JSONObject {
    var claims: [(name: String, value: JSONValue)] = []
    for member in members {
      guard !VarlinkInterface.vault.replySecrets.contains(member.name) else {
        throw .invalidArgument("claims must not have a member named \(member.name)")
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
