internal import Configuration
internal import Cryptography
internal import Storage

/// The values that the intent of a sign-in keeps until the answer is there: the provider that the
/// account gets, and the values that the answer is checked against.
struct SignInIntent {
  /// How the person signs in.
  enum Flow: String {
    case password
    case browser
    case device
    /// Another program kept the login; its refresh token is exchanged.
    case importing = "import"
  }

  let providerName: String
  let providerSettings: [UInt8]
  /// The sealed client secret of the provider, set once the account is known.
  var sealedClientSecret: [UInt8]?
  let email: String
  let exportable: Bool
  var flow = Flow.password
  /// The scopes to ask for, separated by spaces; `nil` for those of the provider.
  var scope: String?
  /// The nonce that the ID token must repeat; `nil` if none was sent.
  var nonce: String?
  /// The provider's keys from before the exchange, so that the next engine checks with the same
  /// keys; `nil` if there are none.
  var keys: [UInt8]?
  /// The pending sign-in that this exchange belongs to; `nil` if the sign-in has only one exchange.
  var login: String?
  /// A refresh whose result is unknown; it is restored if the sign-in brings nothing.
  var uncertain: IntentRow?
  /// The ownership digest of the account that may be replaced, as agreed to in a presence check;
  /// `nil` if none may.
  var agreed: [UInt8]?

  private enum Member: String, CaseIterable {
    case exportable
    case flow
    case scope
    case nonce
    case keys
    case login
    case uncertain
    case secret
    case agreed
  }

  init(_ provider: Provider, email: String, exportable: Bool) {
    self.exportable = exportable
    providerName = provider.name.text
    providerSettings = provider.canonicalForm
    self.email = email
  }

  /// The members, each behind its length, as the intent's context holds them.
  ///
  /// A member that is not set is left out.
  var encoded: [UInt8] {
    var parts = [Array(providerName.utf8), providerSettings, Array(email.utf8)]
    func add(_ member: Member, _ value: [UInt8]) {
      parts.append(Array(member.rawValue.utf8) + value)
    }
    if exportable { add(.exportable, []) }
    if flow != .password { add(.flow, [0] + Array(flow.rawValue.utf8)) }
    if let scope { add(.scope, [0] + Array(scope.utf8)) }
    if let nonce { add(.nonce, [0] + Array(nonce.utf8)) }
    if let keys { add(.keys, [0] + keys) }
    if let login { add(.login, [0] + Array(login.utf8)) }
    if let sealedClientSecret { add(.secret, [0] + sealedClientSecret) }
    if let uncertain { add(.uncertain, [0] + uncertain.encodedRetry) }
    if let agreed { add(.agreed, [0] + agreed) }
    return parts.flatMap(lengthPrefixed)
  }

  init?(decoding bytes: [UInt8], of account: [UInt8]) {
    var rest = bytes[...]
    func next() -> [UInt8]? {
      guard rest.count >= 4 else { return nil }
      let count: Int = integer(littleEndian: rest.prefix(4))
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    guard let name = next(), let settings = next(), let email = next() else { return nil }
    providerName = String(decoding: name, as: UTF8.self)
    providerSettings = settings
    self.email = String(decoding: email, as: UTF8.self)
    var isExportable = false
    while !rest.isEmpty {
      guard let part = next(),
        let member = Member(
          rawValue: String(decoding: part.prefix { $0 != 0 }, as: UTF8.self)
        )
      else { return nil }
      let value = Array(part.drop { $0 != 0 }.dropFirst())
      switch member {
      case .exportable: isExportable = true
      case .flow:
        guard let known = Flow(rawValue: String(decoding: value, as: UTF8.self)) else { return nil }
        flow = known
      case .scope: scope = String(decoding: value, as: UTF8.self)
      case .nonce: nonce = String(decoding: value, as: UTF8.self)
      case .keys: keys = value
      case .secret: sealedClientSecret = value
      case .agreed: agreed = value
      case .login: login = String(decoding: value, as: UTF8.self)
      case .uncertain:
        guard let row = IntentRow(retryOf: account, decoding: value) else { return nil }
        uncertain = row
      }
    }
    exportable = isExportable
  }
}

// The fields that the retry rule needs for a refresh whose result is unknown.
extension IntentRow {
  private static let retryCount = 32 + 16 + 6 * 8

  fileprivate var encodedRetry: [UInt8] {
    let numbers = [generation, startedAt, bootInstant, attempts, notBefore, waitSeconds]
    return intent + bootID
      + numbers.flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) }
      } + context
  }

  fileprivate init?(retryOf account: [UInt8], decoding bytes: [UInt8]) {
    guard bytes.count >= Self.retryCount else { return nil }
    func number(_ index: Int) -> Int64 {
      bytes.dropFirst(48 + 8 * index).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
    self.init(
      account: account,
      intent: Array(bytes.prefix(32)),
      purpose: .refresh,
      generation: number(0),
      startedAt: number(1),
      bootID: Array(bytes.dropFirst(32).prefix(16)),
      bootInstant: number(2),
      attempts: number(3),
      notBefore: number(4),
      waitSeconds: number(5),
      uncertain: true,
      context: Array(bytes.dropFirst(Self.retryCount))
    )
  }
}
