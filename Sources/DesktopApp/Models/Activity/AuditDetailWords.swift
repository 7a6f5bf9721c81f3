internal import GTK

/// The detail of an audit record, which the vault writes in English, in the language of the person.
///
/// A text of another form stays as it is.
enum AuditDetailWords {
  static func text(_ detail: String) -> String {
    let found = DetailWords.first(detail, reasons, FindingWords.clause)
    guard found == detail else { return found }
    return DetailWords.parts(of: detail, ", ") { DetailWords.first($0, facts, FindingWords.clause) }
  }

  /// The details that end with a reason, which may have several parts.
  private static let reasons = [
    TextForm("uncertain: %s"),
    TextForm("the login was not kept: %s"),
  ]
  private static let facts = [
    TextForm("generation %s"),
    TextForm("for %s"),
    TextForm("expires at %s"),
    TextForm("as the access token"),
    TextForm("no usable access token"),
    TextForm("the access token waits for the provider's keys"),
    TextForm("kept here"),
    TextForm("signed out here"),
    TextForm("signed in"),
    TextForm("it has to sign in again"),
    TextForm("was %s"),
    TextForm("its refresh token is in the backup"),
    TextForm("the policy was changed"),
    // Sent in parts.
    TextForm("%s accounts"),
    TextForm("%s refresh tokens"),
    TextForm("login required"),
    TextForm("provider unavailable"),
    TextForm("refused, status %s"),
  ]
}
