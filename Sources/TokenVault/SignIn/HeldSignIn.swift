internal import Configuration
internal import OAuth
internal import Presence
internal import Storage

/// Who the answer to a login says has signed in.
struct SignedInPerson {
  let user: UserFacts?
  /// What was typed; empty where nothing was.
  let email: String

  var shown: String {
    if let known = user?.email ?? user?.name { return known }
    if !email.isEmpty { return email }
    return user?.id ?? "a person that the provider does not name"
  }
}

/// The answer to a login that waits for a presence check; it lies in memory alone.
struct HeldSignIn: Sendable {
  let answer: TokenAnswer
  let user: UserFacts?
  let intent: IntentRow
  let provider: Provider
  let question: PromptQuestion
  /// Whose account it would replace.
  let ownership: [UInt8]
}

extension AccountRow {
  /// Whether a login is that of the person whose account this is.
  ///
  /// The provider's own name for the person decides, where it told one both times. Else the e-mail
  /// address does that was typed with the password. One that the provider tells does not: some let
  /// their users claim any. Where nothing is known it is another person.
  func isSamePerson(_ user: UserFacts?, email typed: String) -> Bool {
    if let subject, let id = user?.id { return subject.utf8.elementsEqual(id.utf8) }
    guard let email, !typed.isEmpty else { return false }
    return typed.utf8.elementsEqual(email.utf8)
  }

  /// Whose account it is, as a prompt shows it.
  var shownPerson: String {
    email ?? displayName ?? subject ?? "a person that the provider did not name"
  }

  /// Whose account it is and where, as a prompt shows it.
  var shownIdentity: String { "\(shownPerson) at \(provider)" }
}
