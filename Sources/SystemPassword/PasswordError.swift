/// Why there was no decision about a password, or why the system refuses even the right one.
package enum PasswordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No user has this id (getpwuid_r(3)).
  case unknownUser(UInt32)
  /// The stack's file is missing; PAM would use another service's file.
  case noStack(String)
  /// The person gave no answer.
  case cancelled
  /// The account has expired, so the system refuses every use.
  case accountExpired
  /// The password must be changed first.
  case mustChangePassword
  /// The password was not changed in time, so the account is now inactive.
  case passwordInactive
  case passwordLocked
  /// The stack refused the user before any question was answered; the text is that of its modules.
  case refusedUnasked(String)
  /// There were too many failures.
  case tooManyTries
  /// The stack accepted the user without a hidden answer, so no password was checked.
  case noPasswordAsked
  /// A module changed the user of the check.
  case userChanged
  /// The stack refuses, with PAM's own number and text.
  case denied(PAMFault)
  /// The stack does not work, with PAM's own number and text.
  case unavailable(PAMFault)

  /// The text for a person, with a remedy.
  package var description: String {
    switch self {
    case .unknownUser(let user): "there is no user with the number \(user)"
    case .noStack(let file): "the PAM service file \(file) is missing"
    case .cancelled: "cancelled"
    case .accountExpired: "this account has expired"
    case .mustChangePassword: "the password must be changed first, with passwd"
    case .passwordInactive: "the password expired, and the account is inactive"
    case .passwordLocked: "the password of this account is locked"
    case .refusedUnasked(let text):
      "the system refuses this user without a question" + (text.isEmpty ? "" : ": " + text)
    case .tooManyTries: "too many failed tries"
    case .noPasswordAsked: "the PAM stack asked for no password"
    case .userChanged: "a PAM module changed the user"
    case .denied(let fault): "the system refuses this user (\(fault))"
    case .unavailable(let fault): "the system cannot check a password (\(fault))"
    }
  }
}

/// A failure code of PAM.
package struct PAMFault: Equatable, Sendable, CustomStringConvertible {
  /// The function that returned it.
  package let call: String
  /// Its number (_pam_types.h).
  package let code: Int32
  /// PAM's text for it (pam_strerror(3)).
  package let message: String
  /// What modules have said since the last question, in one line; empty if they said nothing.
  package let notes: String

  package var description: String {
    "\(call): \(message), \(code)" + (notes.isEmpty ? "" : ": " + notes)
  }
}
