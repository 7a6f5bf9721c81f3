/// An object of the Secret Service, by its path.
enum SecretObject: Equatable {
  case service
  case collection
  case item(String)
  case session(String)
  case prompt(String)
  /// A parent of other paths, without an interface of its own.
  case folder

  private static let root = "/org/freedesktop/secrets"
  /// The last part of the path of the only collection.
  static let collectionName = "login"
  /// The names of the only collection.
  static let aliases = ["default", "login"]
  /// The path that stands for no object.
  static let none = "/"

  /// The object of a path; `nil` if there cannot be one.
  init?(path: String) {
    guard path == Self.root || path.hasPrefix(Self.root + "/") else {
      guard path == "/" || (Self.root + "/").hasPrefix(path + "/") else { return nil }
      self = .folder
      return
    }
    guard path != Self.root else {
      self = .service
      return
    }
    // Each object has only one spelling: a bus forwards no path with an empty part.
    let parts = path.dropFirst(Self.root.count + 1)
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1 where ["aliases", "collection", "session", "prompt"].contains(parts[0]): self = .folder
    case 2 where parts[0] == "aliases" && Self.aliases.contains(parts[1]): self = .collection
    case 2 where parts[0] == "collection" && parts[1] == Self.collectionName: self = .collection
    case 2 where parts[0] == "session": self = .session(parts[1])
    case 2 where parts[0] == "prompt": self = .prompt(parts[1])
    case 3
    where parts[0] == "collection" && parts[1] == Self.collectionName
      || parts[0] == "aliases" && Self.aliases.contains(parts[1]):
      guard let id = Self.unescaped(parts[2]) else { return nil }
      self = .item(id)
    default: return nil
    }
  }

  // MARK: The part of a path that is an item's id

  /// The part of the path for an id: each byte that is not allowed in a path is written as `_` and
  /// two hexadecimal digits.
  ///
  /// The name of an account may have such bytes.
  private static func escaped(_ id: String) -> String {
    var part = ""
    for byte in id.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: part.unicodeScalars.append(UnicodeScalar(byte))
      default: part += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
      }
    }
    return part
  }

  /// The id; `nil` if `escaped` would write it differently.
  private static func unescaped(_ part: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(part)
    while let character = rest.popFirst() {
      guard character == "_" else {
        bytes += Array(character.utf8)
        continue
      }
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    guard let id = String(validating: bytes, as: UTF8.self), escaped(id) == part else { return nil }
    return id
  }

  var path: String {
    switch self {
    case .service: Self.root
    case .collection: "\(Self.root)/collection/\(Self.collectionName)"
    case .item(let id): "\(Self.collection.path)/\(Self.escaped(id))"
    case .session(let id): "\(Self.root)/session/\(id)"
    case .prompt(let id): "\(Self.root)/prompt/\(id)"
    case .folder: "/"
    }
  }

  /// The interface of the object; `nil` for a folder.
  var interface: SecretInterface? {
    switch self {
    case .service: .service
    case .collection: .collection
    case .item: .item
    case .session: .session
    case .prompt: .prompt
    case .folder: nil
    }
  }
}
