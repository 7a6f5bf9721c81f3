internal import GTK
internal import PlainText
internal import VaultClient
internal import VaultInterface

/// A restricted socket, in words that are safe to show.
struct SocketWords: Equatable {
  let title: String
  /// Its path, and what programs behind it get, each on a line.
  let text: String

  init(_ note: RestrictedSocketNote) {
    let restriction = note.restriction
    let accounts = restriction.accounts.joined(separator: ", ")
    title = PlainText.line(restriction.name, limit: 64)
    text = [
      PlainText.line(note.path, limit: 300),
      tr("Accounts: %s", PlainText.line(accounts, limit: 600)),
      restriction.scope.map { tr("Scopes: %s", PlainText.line($0, limit: 300)) },
      restriction.rule.map { tr("Rule: %s", PlainText.line($0, limit: 64)) },
    ].compactMap(\.self).joined(separator: "\n")
  }
}
