internal import Configuration
internal import GTK
internal import PlainText
internal import PresenceTerms
internal import Providers
internal import VaultInterface

/// A sign-in that would replace the login of an account, before the person has agreed.
struct SignInReplacement: Sendable {
  let request: SignInRequest
  /// The provider that is kept for later sign-ins.
  let new: Provider?
  /// The account as it is now.
  let account: VaultAccount

  /// The question in words that are safe to show.
  var heading: String {
    tr("Replace the login of “%s”?", PlainText.line(account.name, limit: 64))
  }

  /// What holds now, and what the sign-in changes.
  var body: String {
    let person = [account.email, account.displayName, account.subject]
      .compactMap(\.self).first { !$0.isEmpty }
    return tr(
      "%s is signed in there at %s. The vault ends that login at the provider if it can.",
      PlainText.line(person ?? account.name, limit: 100),
      PlainText.line(account.provider, limit: 64)
    )
      + (account.presenceProtection
        ? " " + tr("Another person needs a presence check, and the protection ends.") : "")
  }
}

// A sign-in under the name of an account that is signed in.
extension SignInModel {
  /// The login that a sign-in would replace; `nil` if the name is free.
  ///
  /// - Throws: why it must not be replaced.
  func replacedLogin(
    by request: SignInRequest
  ) throws(SignInProblems) -> VaultAccount? {
    let present = vault.items.first { $0.name == request.account }?.account
    guard let present, present.state != .signedOut else { return nil }
    let isSignedIn = present.state != .loginRequired
    let isRegistration = if case .registration = request.way { true } else { false }
    // A secret that was stored is not replaced by a login. The login that a new user would replace
    // belongs to another person.
    guard present.kind != Provider.Kind.static.rawValue, !isSignedIn || !isRegistration else {
      throw SignInProblems(
        "account",
        tr("There is an account of this name. Choose another name, or sign out of it first.")
      )
    }
    return isSignedIn ? present : nil
  }

  /// Goes on after the person has answered whether the login is replaced.
  func replace(_ asked: SignInReplacement, _ isMeant: Bool) async {
    guard isMeant, isFilling, !isHidden else { return }
    await run(asked.request, keeping: asked.new)
  }

  /// What is left to do if the replaced login did not end at its provider.
  static func unended(_ account: VaultAccount) -> Trouble? {
    guard account.replacedRevoked == false else { return nil }
    return Trouble(
      tr(
        "you are signed in, but the provider did not confirm that the replaced login has ended%s",
        account.replacedReason.map { " (\(PlainText.line($0, limit: 300)))" } ?? ""
      ),
      advice: tr("end the session in your account settings there")
    )
  }
}
