internal import JSON

/// The claims of a person that have no field here, cut down so that they can be kept with the
/// account.
///
/// A backend's user object may hold anything: a picture in base64, a list of ten thousand groups, a
/// token for another service. Large values and values that look like secrets are left out.
enum UserClaims {
  /// The most bytes of all claims, as JSON.
  static let mostBytes = 4096
  /// The most members of the user, and of each object in it.
  static let mostMembers = 64
  /// The most bytes of a member's name (`mostName`) and of a text (`mostText`).
  static let mostName = 64
  static let mostText = 1024
  /// The deepest nesting of objects and lists.
  static let mostLevels = 4
  /// The most members and elements that are examined, kept or not.
  static let mostVisits = 512

  /// The claims that an ID token makes about itself, not about the person (OpenID Connect Core 1.0,
  /// section 2; RFC 7519, section 4.1).
  static let ofTheToken: Set<[UInt8]> = bytes([
    "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "sid", "at_hash", "c_hash", "s_hash",
  ])
  /// Parts of a member name that mark a secret.
  private static let secretNames = [
    "token", "secret", "password", "passwd", "passphrase", "credential", "apikey", "api_key",
    "private_key", "privatekey", "otp", "session", "jwt", "bearer",
  ].map { Array($0.utf8) }

  static func bytes(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }

  /// The members to keep, in their order, until the next one has no room.
  ///
  /// - Parameters:
  ///   - object: the user, or the claims.
  ///   - known: names that have a field elsewhere.
  /// - Returns: the kept members.
  static func of(_ object: JSONObject, without known: Set<[UInt8]>) -> JSONObject {
    var room = Room()
    return kept(object, level: 1, &room) { known.contains($0) }
  }

  /// How many bytes may still be kept, and how many values may still be examined.
  ///
  /// A dropped member uses no bytes, so the byte limit by itself would not bound the work.
  private struct Room {
    var bytes = mostBytes
    var visits = mostVisits

    /// Counts one value; whether it may be examined.
    mutating func visit() -> Bool {
      visits -= 1
      return visits >= 0
    }
  }

  private static func kept(
    _ object: JSONObject,
    level: Int,
    _ room: inout Room,
    _ isKnown: ([UInt8]) -> Bool
  ) -> JSONObject {
    var members: [(String, JSONValue)] = []
    for member in object.members where members.count < mostMembers {
      guard room.visit() else { break }
      guard (1...mostName).contains(member.name.utf8.count) else { continue }
      let name = Array(member.name.utf8)
      guard !isKnown(name), !namesASecret(name) else { continue }
      // A member that does not fit gives its room to the next one.
      let before = room.bytes
      room.bytes -= name.count + 4
      if let value = kept(member.value, level: level + 1, &room), room.bytes >= 0 {
        members.append((member.name, value))
      } else {
        room.bytes = before
      }
    }
    return JSONObject(members)
  }

  private static func kept(_ value: JSONValue, level: Int, _ room: inout Room) -> JSONValue? {
    switch value {
    case .secret, .unusable: return nil
    case .string(let text):
      guard text.utf8.count <= mostText else { return nil }
      // A byte may be escaped as six.
      room.bytes -= text.utf8.reduce(2) { $0 + ($1 < 0x20 || $1 == 0x22 || $1 == 0x5C ? 6 : 1) }
      return value
    case .null, .boolean, .integer, .number:
      room.bytes -= 25
      return value
    case .array(let elements):
      guard level <= mostLevels, elements.count <= mostMembers else { return nil }
      room.bytes -= 2
      var list: [JSONValue] = []
      for element in elements {
        room.bytes -= 1
        guard room.visit(), let element = kept(element, level: level + 1, &room), room.bytes >= 0
        else { return nil }
        list.append(element)
      }
      return .array(list)
    case .object(let object):
      guard level <= mostLevels else { return nil }
      room.bytes -= 2
      return .object(kept(object, level: level, &room) { _ in false })
    }
  }

  private static func namesASecret(_ name: [UInt8]) -> Bool {
    let name = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return secretNames.contains { name.hasWord($0) }
  }
}
