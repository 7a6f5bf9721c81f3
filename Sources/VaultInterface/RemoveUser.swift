public import JSON

/// Removes the vault of a user, or one account of it; for root alone, by the service.
public struct RemoveUserCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = RemoveUserReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.RemoveUser"

  /// The login name that the vault was made for, or the uid.
  public var user: String
  /// The account; nil: the whole vault.
  public var account: String?

  /// Of these parts.
  public init(user: String, account: String? = nil) {
    self.user = user
    self.account = account
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    user = try object.required("user")
    account = try object.optional("account")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["user": user, "account": account]) }
  }
}

/// What is gone.
public struct RemoveUserReply: VarlinkRecord, Equatable {
  /// The uid.
  public var user: Int
  /// The login name that the vault was made for.
  public var name: String?
  /// The accounts that are gone; nil: they could not be read.
  public var accounts: [EndedAccount]?
  /// Which prints of the vault a reader may still have, and why; `nil` if there are none.
  public var onReader: String?

  /// Of these parts.
  public init(
    user: Int,
    name: String? = nil,
    accounts: [EndedAccount]? = nil,
    onReader: String? = nil
  ) {
    self.user = user
    self.name = name
    self.accounts = accounts
    self.onReader = onReader
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    user = try object.required("user")
    name = try object.optional("name")
    accounts = try object.optional("accounts")
    onReader = try object.optional("on_reader")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["user": user, "name": name, "accounts": accounts, "on_reader": onReader])
    }
  }
}
