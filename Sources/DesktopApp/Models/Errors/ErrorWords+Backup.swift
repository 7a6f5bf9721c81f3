internal import GTK

// Errors of a backup and of its restore, and why a backup has no refresh token of an account.
extension ErrorWords {
  /// Errors of its file.
  static let backupFiles = [
    TextForm("%s is not a file name"),
    TextForm("%s exists already"),
    TextForm("a backup has at most %s MiB: %s has more"),
    TextForm("%s could not be written: %s"),
    TextForm("%s could not be read: %s"),
    TextForm("not a Thumblatch backup, or the file is truncated"),
    TextForm(
      "the backup has version %s, and this program reads version 1: update Thumblatch"
    ),
    TextForm("the backup was damaged, or a newer version made it"),
    TextForm("a recovery code needs no key"),
    TextForm("the passphrase cannot be made into a key: %s"),
    TextForm("too little memory to derive the key from the passphrase: it takes %s MiB"),
  ]
  /// Errors of what it has.
  static let backup = [
    TextForm("the backup would have more than %s MiB"),
    TextForm("a backup has at most %s MiB"),
    TextForm("the backup cannot be sealed: %s"),
    TextForm("the backup cannot be opened: %s"),
    TextForm("bytes follow the header"),
    TextForm("this code opens no slot of this vault: type the current recovery code"),
    TextForm("other backups are restored now"),
    TextForm("the backup was not sent as a whole: restore it again"),
    TextForm("a key of a backup has %s bytes"),
    TextForm("this backup opens with its recovery code, not with a passphrase"),
    TextForm("this backup opens with its passphrase, not with a recovery code"),
    TextForm("the key of the backup cannot be used: %s"),
    TextForm("the backup is damaged; nothing was changed"),
    // Sent in parts.
    TextForm("this passphrase does not open the backup, or the backup is damaged"),
    // Sent in parts.
    TextForm("this recovery code does not open the backup, or the backup is damaged"),
    TextForm(
      "the vault has these accounts already: %s; --skip-existing leaves them as they are"
    ),
  ]
  static let leftOut = [
    TextForm("its secret stays in the vault"),
    TextForm("it needs a login"),
    TextForm("it is signed out"),
    // Sent in parts.
    TextForm("no refresh token may leave the vault (%s)"),
    // Sent in parts.
    TextForm("no refresh token may leave the vault"),
    TextForm("it is not exportable"),
    TextForm("it is on its way into a private vault"),
    // Sent in parts.
    TextForm("the answer to its last refresh was lost; first run thumblatch token %s"),
    // Sent in parts.
    TextForm("its last refresh had no clear answer (%s); first run thumblatch token %s"),
    // Sent in parts.
    TextForm("its last login is not finished; first run thumblatch token %s"),
    TextForm("its provider replaces refresh tokens"),
    TextForm("no refresh has shown yet whether its provider replaces refresh tokens"),
  ]
  /// Answers of a provider that leave the outcome of a refresh open.
  static let unclearAnswers = [
    TextForm(
      "the provider refused the refresh token without a reason (HTTP %s, an empty answer)"
    ),
    TextForm("the provider refused the refresh token with an answer that is not JSON (HTTP %s)"),
    TextForm("the provider refused the refresh with an error other than a dead token (HTTP %s)"),
    TextForm("the provider answered %s"),
    TextForm("the provider's answer to the refresh is larger than %s KiB, and was not read"),
    TextForm("the provider answered the refresh with HTTP %s, but not with a JSON object"),
    TextForm("the provider answered the refresh with HTTP %s, but without a usable token"),
  ]
}
