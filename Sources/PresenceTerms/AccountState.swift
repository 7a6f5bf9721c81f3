/// The state of an account.
public enum AccountState: String, Sendable, CaseIterable {
  /// The next access token needs no presence check.
  case ready
  /// The next access token needs a presence check.
  case locked
  /// Only earlier engines send this: a refresh brings the next access token.
  case expired
  /// A refresh is under way.
  case refreshing
  /// A refresh was sent, and its answer has not come yet.
  case uncertain
  /// Only a new sign-in helps.
  case loginRequired = "login_required"
  /// The account has no tokens.
  case signedOut = "signed_out"
}
