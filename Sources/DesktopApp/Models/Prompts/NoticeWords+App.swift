internal import DesktopPrompt
internal import GTK
internal import PlainText
internal import PresenceTerms
internal import VaultInterface

extension NoticeWords {
  /// What a notification says in the language of the person; its action opens the app's sign-in.
  init(translating notice: DesktopNotice) {
    let account = PlainText.line(notice.account, limit: 64)
    switch notice.kind {
    case .loginRequired:
      self.init(
        summary: tr("Sign-In Required"),
        body: tr("Programs get no tokens of account '%s' until you sign in again.", account),
        signIn: tr("Sign In")
      )
    case .secretExpires:
      let end = notice.expiresAt.map { LocalTime.text($0) } ?? "-"
      self.init(
        summary: tr("Secret Expires Soon"),
        body: tr(
          "The secret of account '%s' is valid until %s. Make another one at its host, then store it, in a terminal: %s",
          account,
          end,
          // Not translated: a command.
          "thumblatch store " + account
        )
      )
    case .allowed:
      self.init(
        summary: notice.purpose == .release ? tr("Refresh Token Released") : tr("Account Used"),
        body: tr(
          "Allowed by %s: %s. Requested by %s.",
          notice.method.flatMap(ActivityWords.method) ?? tr("another check"),
          PurposeWords.clause(of: notice.purpose ?? .refresh, account, notice.detail),
          RequesterWords.text(PlainText.line(notice.requester ?? "-", limit: 120))
        )
      )
    }
  }
}
