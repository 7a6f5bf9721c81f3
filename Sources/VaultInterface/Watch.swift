public import JSON

/// Follows an account and the unlock window.
public struct WatchCall: VarlinkMethod, Equatable {
  /// What it brings, again and again.
  public typealias Reply = WatchReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Watch"

  /// The account; nil: the default.
  public var account: String?
  /// How many seconds before its end its access token is refreshed while this lasts; nil: the
  /// engine's own measure, 0: never.
  public var refreshAhead: Int?

  /// Of these parts.
  public init(account: String? = nil, refreshAhead: Int? = nil) {
    self.account = account
    self.refreshAhead = refreshAhead
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    refreshAhead = try object.optional("refresh_ahead")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "refresh_ahead": refreshAhead]) }
  }
}

/// How an account and the unlock window stand now.
public struct WatchReply: VarlinkRecord, Equatable {
  /// The account; nil: there is none of that name.
  public var account: VaultAccount?
  /// Whether the unlock window covers it.
  public var unlocked: Bool

  /// Of these parts.
  public init(account: VaultAccount? = nil, unlocked: Bool) {
    self.account = account
    self.unlocked = unlocked
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.optional("account")
    unlocked = try object.required("unlocked")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["account": account, "unlocked": unlocked]) }
  }
}
