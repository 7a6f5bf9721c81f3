internal import Configuration
internal import OAuth
internal import Presence
internal import Storage

/// The person that signed in, according to the answer.
struct SignedInPerson {
  let user: UserFacts?
  /// The e-mail address that was typed; empty if none was.
  let email: String

  var shown: String {
    if let known = user?.email ?? user?.name { return known }
    if !email.isEmpty { return email }
    return user?.id ?? "a person that the provider does not name"
  }
}

/// The answer to a sign-in that waits for a presence check; it is kept in memory only.
struct HeldSignIn: Sendable {
  let answer: TokenAnswer
  let user: UserFacts?
  let intent: IntentRow
  let provider: Provider
  let question: PromptQuestion
  /// The ownership digest of the account that it would replace.
  let ownership: [UInt8]
}

extension AccountRow {
  /// Whether a sign-in is by the person that the account belongs to.
  ///
  /// If the provider gave its own identifier for the person both times, that identifier decides.
  /// Otherwise the e-mail address that was typed with the password decides. An address from the
  /// provider does not count: some providers let their users claim any address. If nothing is
  /// known, it counts as another person.
  func isSamePerson(_ user: UserFacts?, email typed: String) -> Bool {
    if let subject, let id = user?.id { return subject.utf8.elementsEqual(id.utf8) }
    guard let email, !typed.isEmpty else { return false }
    return typed.utf8.elementsEqual(email.utf8)
  }

  /// The account's owner, as shown in a prompt.
  var shownPerson: String {
    email ?? displayName ?? subject ?? "a person that the provider did not name"
  }

  /// The account's owner and provider, as shown in a prompt.
  var shownIdentity: String { "\(shownPerson) at \(provider)" }
}
