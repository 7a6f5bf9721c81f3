internal import JSON
internal import PlainText
internal import VaultClient
internal import VaultInterface

/// `user remove`.
enum UserVerbs {
  static let all = [remove]

  private static let ifExists = "--if-exists"

  static let remove = Verb(
    "user remove",
    [Verb.Operand("NAME", .one), Verb.Operand("ACCOUNT", .optional)],
    options: [
      AccountEnd.yes,
      Verb.Option(ifExists, "succeed even if there is no such vault or account"),
    ],
    summary: "remove a user's vault from the service, or one account of it; for root",
    details: """
      For a former user, or one whose finger and password both fail. NAME is the user name that \
      the vault was made for, or a uid; the user may already be deleted. Needs no presence check, \
      and is recorded: one account in that user's audit log, and both in the journal. The \
      providers are not notified: refresh tokens stay valid until they expire, or until you end \
      the sessions at the provider. Removing a whole vault also deletes its fingers on readers \
      that store prints; the answer and the journal name those that a reader may still have. To \
      remove a private vault, remove its directory.
      For configuration management: with --yes --if-exists, it can run every time and asks \
      nothing. Without a vault it ends with 0. With --json, "removed" says whether there was one. \
      Use the uid if the user name may be reused.
      Some readers refuse to enroll a finger whose print they still store. If the vault does not \
      open, or the reader is not plugged in, the prints stay there. Removing a private vault's \
      directory or purging the package does not delete prints on a reader: delete the fingers \
      first.
      """
  ) { session throws(CommandError) in
    guard session.location != .privateVault else {
      throw .usage(
        "a private vault has no other users",
        hint: "it is removed with its directory: ~/.local/state/thumblatch of that user, "
          + "or $XDG_STATE_HOME/thumblatch"
      )
    }
    guard session.isRoot else {
      throw CommandError(.refused, "only root may remove a user's vault")
    }
    let user = session.arguments.operands[0]
    let account = try session.arguments.operands.dropFirst().first
      .map { word throws(CommandError) in try session.accountName(word) }
    if !session.arguments.has("--yes") {
      try session.confirm(
        account.map { "Remove the account \($0) of \(user)? No provider is notified." }
          ?? "Remove the whole vault of \(user)? No provider is notified.",
        for: "a confirmation of the removal",
        otherwise: "nothing was removed"
      )
    }
    let reply: RemoveUserReply
    do throws(CommandError) {
      reply = try session.call(within: Session.remoteLimit, again: .never) { _ in
        RemoveUserCall(user: user, account: account)
      }
    } catch {
      let error = named(error, user, account)
      guard error.code == .notFound, session.arguments.has(ifExists) else { throw error }
      return try session.report(
        ["name": .string(user), "account": AccountText.optional(account), "removed": false],
        "Nothing to remove: \(error.message)."
      )
    }
    try session.report(object(reply, account), sentence(reply, account))
    if let why = reply.onReader {
      session.output.talk(
        "A reader may still store prints (\(PlainText.line(why, limit: 600)))."
          + " Some readers refuse to enroll such a finger again."
      )
    }
    if let unread = unread(reply, user) { session.output.talk(unread) }
  }

  /// Names the vaults that may have been made for the same user name.
  static func unread(_ reply: RemoveUserReply, _ user: String) -> String? {
    guard let uids = reply.unread, !uids.isEmpty else { return nil }
    let listed = uids.map { "uid \($0)" }.joined(separator: ", ")
    return "A directory that cannot be read may hold another vault of \(PlainText.line(user)):"
      + " \(listed)."
  }

  /// Names the user whose account is missing: the general hint lists root's own accounts.
  private static func named(
    _ error: CommandError,
    _ user: String,
    _ account: String?
  ) -> CommandError {
    guard let account,
      error.message == CommandError(VaultError.noSuchAccount(account: account)).message
    else { return error }
    return CommandError(
      error.code,
      "\(user) has no account \"\(account)\"",
      hint: "to see the names, as \(user): thumblatch account list"
    )
  }

  static func object(_ reply: RemoveUserReply, _ account: String?) -> JSONObject {
    [
      "user": .integer(Int64(reply.user)), "name": AccountText.optional(reply.name),
      "account": AccountText.optional(account), "removed": true,
      "accounts": reply.accounts.map { accounts in
        .array(
          accounts.map { ended in
            [
              "account": .string(ended.account), "provider": .string(ended.provider),
              "grant": .string(ended.grant.rawValue),
            ]
          }
        )
      } ?? .null,
      "on_reader": AccountText.optional(reply.onReader),
      "unread": .array((reply.unread ?? []).map { .integer(Int64($0)) }),
    ]
  }

  static func sentence(_ reply: RemoveUserReply, _ account: String?) -> String {
    let whose = reply.name.flatMap { $0.isEmpty ? nil : "\($0) (uid \(reply.user))" }
    let user = whose ?? "uid \(reply.user)"
    let what = account.map { "the account \($0) of \(user)" } ?? "the vault of \(user)"
    guard let accounts = reply.accounts else {
      return "Removed \(what). It could not be read, so nothing was revoked at any provider."
    }
    let alive = accounts.filter { $0.grant != GrantState.none }
    guard !alive.isEmpty else { return "Removed \(what). No account was signed in." }
    let listed = alive.map { "\($0.account) at \($0.provider)" }.joined(separator: ", ")
    return "Removed \(what). Nothing was revoked: refresh tokens stay valid for \(listed)."
  }
}
