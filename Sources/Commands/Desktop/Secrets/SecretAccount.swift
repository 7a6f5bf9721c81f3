internal import Configuration
internal import JSON
internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import SecretService
internal import System
internal import VaultInterface

/// An item of the Secret Service as an account of kind `static`.
struct SecretAccount {
  /// How the value is kept as text.
  private enum Encoding: String {
    case plain, base64, empty
  }

  /// The provider of these accounts, which belong to no host.
  static let provider = VaultProvider(
    name: Provider.secretServiceName,
    settings: ["kind": "static", "issuer": "https://localhost"]
  )
  /// The prefix of a new account's name; random digits follow, which are the item's id.
  private static let prefix = "secret-"
  /// The prefix of the id if a person has given the account a name without the usual prefix.
  ///
  /// No name has this character.
  private static let renamed = "/"
  /// The most characters of a label that the vault shows.
  private static let longestLabel = 100
  /// The placeholder for an empty value.
  private static let nothing: [UInt8] = Array("-".utf8)
  /// The most bytes of a value: the vault keeps 32 KiB of Base64.
  static let longestValue = 24 * 1024

  let item: SecretItem
  private let encoding: Encoding

  /// Reads an account; `nil` if it is no item.
  init?(_ account: VaultAccount) {
    guard account.provider == Self.provider.name, let claims = account.claims,
      let encoding = Encoding(rawValue: (try? claims.string("encoding")) ?? "")
    else { return nil }
    var attributes: [String: String] = [:]
    for case .array(let pair) in (try? claims.array("attributes")) ?? [] {
      guard case .string(let key)? = pair.first, case .string(let value)? = pair.last else {
        continue
      }
      attributes[key] = value
    }
    func time(_ name: String) -> UInt64 { UInt64(clamping: (try? claims.integer(name)) ?? 0) }
    let given = try? claims.optionalString("label")
    item = SecretItem(
      id: Self.id(of: account.name),
      label: given ?? account.displayName ?? "",
      attributes: attributes,
      contentType: (try? claims.string("content_type")) ?? "",
      created: time("created"),
      modified: time("modified"),
      isLocked: account.state != .ready
    )
    self.encoding = encoding
  }

  /// Whether an account is an item, even if its claims cannot be read.
  static func isItem(_ account: VaultAccount) -> Bool {
    account.provider == provider.name && account.issuer == provider.settings["issuer"]
  }

  /// The id of the item of an account.
  private static func id(of name: String) -> String {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : renamed + name
  }

  /// The name of the account of an item.
  static func name(of id: String) -> String {
    id.hasPrefix(renamed) ? String(id.dropFirst(renamed.count)) : prefix + id
  }

  /// A new id.
  static func newID() throws(SecretServiceError) -> String {
    do throws(SecretMemoryError) {
      let random = try SecretBytes.random(count: 10)
      let bytes = unsafe random.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
      return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    } catch {
      throw .failed("\(error)")
    }
  }

  // MARK: Storing

  /// The call that stores an item, new or changed.
  static func call(
    storing change: SecretChange,
    as id: String,
    over present: SecretItem?
  ) throws(SecretServiceError) -> StoreSecretCall {
    guard let content = change.content else { throw .noSuchObject }
    let (secret, encoding) = try encoded(content.secret)
    let label = change.label ?? present?.label ?? ""
    let shown = PlainText.line(label, limit: longestLabel)
    let attributes = change.attributes ?? present?.attributes ?? [:]
    let now = WallTime.now.seconds
    var claims: JSONObject = [
      "attributes": .array(
        attributes.sorted { $0.key < $1.key }.map { [.string($0.key), .string($0.value)] }
      ),
      "content_type": .string(content.type),
      "created": .integer(present.map { Int64(clamping: $0.created) } ?? now),
      "modified": .integer(now),
      "encoding": .string(encoding.rawValue),
    ]
    if shown != label { claims["label"] = .string(label) }
    return StoreSecretCall(
      account: name(of: id),
      provider: provider,
      secret: secret,
      label: shown.isEmpty ? nil : shown,
      claims: claims,
      presenceProtection: true
    )
  }

  /// A value as text: as it is if a header could hold it, else in Base64.
  private static func encoded(
    _ secret: SharedSecret
  ) throws(SecretServiceError) -> (SharedSecret, Encoding) {
    guard secret.bytes.count <= longestValue else {
      throw .longValue(longestValue)
    }
    let isPlain = unsafe secret.bytes.withUnsafeBytes { bytes in
      unsafe bytes.allSatisfy { 0x20 < $0 && $0 < 0x7F }
    }
    do throws(SecretMemoryError) {
      guard secret.bytes.count > 0 else {
        return (SharedSecret(try SecretBytes(copying: nothing)), .empty)
      }
      guard !isPlain else { return (secret, .plain) }
      let room = Base64.standard.count(ofBytes: secret.bytes.count)
      let text = unsafe try SecretBytes(capacity: room) { room in
        unsafe secret.bytes.withUnsafeBytes { unsafe Base64.standard.encode($0, into: room) }
      }
      return (SharedSecret(text), .base64)
    } catch {
      throw .failed("\(error)")
    }
  }

  /// The value of the text that the vault hands out.
  func value(of text: String) throws(SecretServiceError) -> SharedSecret {
    var bytes = Array(text.utf8)
    defer { for index in bytes.indices { bytes[index] = 0 } }
    var isWhole = true
    let value: SharedSecret
    do throws(SecretMemoryError) {
      switch encoding {
      case .empty: value = SharedSecret(try SecretBytes(copying: []))
      case .plain: value = SharedSecret(try SecretBytes(copying: bytes))
      case .base64:
        let room = Base64.standard.mostBytes(ofText: bytes.count)
        let decoded = unsafe try SecretBytes(capacity: room) { room in
          let count = unsafe bytes.withUnsafeBytes {
            unsafe Base64.standard.decode($0, into: room)
          }
          isWhole = count != nil
          return count ?? 0
        }
        value = SharedSecret(decoded)
      }
    } catch {
      throw .failed("\(error)")
    }
    guard isWhole else { throw .damaged }
    return value
  }
}
