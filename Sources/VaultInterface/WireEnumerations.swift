internal import PlainText

/// Which vault an engine keeps.
public enum VaultForm: String, Sendable, CaseIterable, WireValue {
  /// That of one user, in an engine of their own.
  case `private`
  /// That of every user of the machine.
  case service
}

/// What an engine's secrets lie in.
public enum SecretMemoryKind: String, Sendable, CaseIterable, WireValue {
  /// Memory that the kernel itself does not map: memfd_secret(2).
  case secret
  /// Memory that is not swapped: mlock(2).
  case locked
  /// Ordinary memory.
  case ordinary
}

/// How an account stands.
public enum AccountState: String, Sendable, CaseIterable, WireValue {
  /// A valid access token can be had without a presence check.
  case ready
  /// The next access token takes a presence check.
  case locked
  /// From an engine that does not tell the two apart: a refresh brings the next access token.
  case expired
  /// A refresh is under way.
  case refreshing
  /// A refresh was sent, and its answer did not come yet.
  case uncertain
  /// Only a login helps.
  case loginRequired = "login_required"
  /// It has no tokens.
  case signedOut = "signed_out"
}

/// How presence is shown.
public enum PresenceMethod: String, Sendable, CaseIterable, WireValue {
  /// A finger on the reader.
  case fingerprint
  /// The system password.
  case password
}

/// What a presence check is for.
public enum PresencePurpose: String, Sendable, CaseIterable, WireValue {
  /// To refresh an access token.
  case refresh
  /// To protect an account.
  case enable
  /// To end an account's protection.
  case disable
  /// To open the unlock window.
  case unlock
  /// To enrol a finger.
  case enroll
  /// To remove a finger.
  case deleteFinger = "delete_finger"
  /// To let a refresh token out of the vault.
  case release
  /// To sign in to an account whose refresh token may be released.
  case exportable
  /// To make a new device secret.
  case rekey
  /// To accept a store that was put back.
  case recover
  /// Nothing is released.
  case test
  /// To bring another provider to an account.
  case applyProvider = "apply_provider"
  /// Giving a protected account another name.
  case rename
  /// To change the rules of the policy.
  case policy
  /// To end a login at its provider.
  case signOut = "sign_out"
  /// To forget a protected account.
  case remove
  /// To sign in to a protected account as another person, or at another provider.
  case replace
  /// To make another account the default instead of a protected one.
  case setDefault = "set_default"
}

/// What became of a refresh token at the provider.
public enum GrantState: String, Sendable, CaseIterable, WireValue {
  /// The provider confirmed that it is void.
  case ended
  /// It stays valid there.
  case valid
  /// Nobody can tell.
  case unknown
  /// There was none, or the provider had ended it before.
  case none
}

/// Why a presence check did not pass.
public enum PresenceOutcome: String, Sendable, CaseIterable, WireValue {
  /// The person gave it up.
  case cancelled
  /// The person would rather type the password.
  case passwordChosen = "password_chosen"
  /// There is no reader, or it cannot be used.
  case notAvailable = "not_available"
  /// No finger is enrolled.
  case notEnrolled = "not_enrolled"
  /// Too many fingers failed: password only.
  case lockedOut = "locked_out"
  /// Another finger, or a wrong password.
  case noMatch = "no_match"
  /// Nobody answered.
  case timedOut = "timed_out"
  /// The reader or the prompt is in use.
  case busy
  /// The system does not let this person in.
  case denied
}

/// What to do differently with the finger.
public enum ScanHint: String, Sendable, CaseIterable, WireValue {
  /// Leave it on the reader longer.
  case tooShort = "too_short"
  /// Put it on the middle of the reader.
  case centerFinger = "center_finger"
  /// Lift it and touch again.
  case removeFinger = "remove_finger"
  /// Just once more; also any hint that is not known here.
  case general

  /// The hint of a name from the wire.
  init(name: String) {
    self = ScanHint(named: name) ?? .general
  }
}

/// Why a helper's check or enrolment failed.
public enum HelperFailure: String, Sendable, CaseIterable, WireValue {
  /// There is no reader, or it cannot be used.
  case notAvailable = "not_available"
  /// No print was loaded that this reader knows.
  case notEnrolled = "not_enrolled"
  /// Another program has the reader.
  case busy
  /// Nobody answered.
  case timedOut = "timed_out"
  /// The engine gave it up.
  case cancelled
  /// The system does not let this person in.
  case denied
}

/// Why a provider is unavailable, where a caller may want to tell.
public enum UnavailableReason: String, Sendable, CaseIterable, WireValue {
  /// The machine is there, and no program listens at the port.
  case notAnswering = "not_answering"
  /// The certificate is of an authority that is not trusted.
  case authority = "certificate_authority"
  /// The certificate has expired.
  case expired = "certificate_expired"
  /// The certificate is not valid yet.
  case notYetValid = "certificate_not_yet_valid"
  /// The certificate is another host's.
  case name = "certificate_name"
  /// TLS failed for another reason.
  case certificate
  /// The key is none of those that are pinned.
  case pin
  /// A program that is not the provider's listens at the loopback address.
  case listener
  /// The provider may have taken what was sent.
  case uncertain
  /// The refresh token was refused once without a reason; a second time counts.
  case refusedOnce = "refused_once"
}

/// Why an HTTP request has no answer.
public enum ExchangeFailure: String, Sendable, CaseIterable, WireValue {
  /// The host's address was not found.
  case resolve
  /// No connection.
  case connect
  /// The machine is there, and no program listens at the port.
  case refused
  /// TLS failed for any other reason than these.
  case tls
  /// The certificate is of an authority that is not trusted.
  case authority
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid = "not_yet_valid"
  /// The certificate is another host's.
  case name
  /// The server's key is none of the pinned ones.
  case pin
  /// It took too long.
  case timeout
  /// The answer is longer than was asked for.
  case tooLarge = "too_large"
  /// It leads to this machine or to its link, where it may not go.
  case local
  /// A program that is not the provider's listens at the loopback address.
  case listener
  /// Anything else.
  case other
}
