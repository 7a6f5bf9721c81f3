internal import GTK
internal import PresenceTerms
internal import VaultInterface

extension Trouble {
  /// What an error of the vault says, and what to do about it.
  init(_ error: VaultError) {
    switch error {
    case .presenceNeeded(let request):
      self.init(PresenceWords.need(request), advice: tr("try again"))
    case .presenceFailed(let outcome, let message, _):
      self.init(PresenceWords.failure(outcome, message), advice: Self.advice(outcome))
    case .busy(let message, let retryAfter):
      let advice = retryAfter.map {
        ntr("try again in %d second", "try again in %d seconds", $0)
      }
      self.init(message, advice: advice ?? tr("try again when that is over"))
    case .noSuchAccount: self = .missingAccount
    case .noSuchFinger: self.init(tr("the finger is no longer there"), advice: Self.look)
    case .noSuchKey: self.init(tr("the security key is no longer there"), advice: Self.look)
    case .noSuchUser(let user):
      self.init(Clause(tr("%s has no vault here", "\(user)"), .name), advice: Self.administrator)
    case .loginRequired(_, let message):
      self.init(
        message.isEmpty ? tr("a sign-in is required") : tr("a sign-in is required: %s", message),
        advice: tr("sign in to the account again")
      )
    case .providerUnavailable(let message, let retryAfter, _, let reason, let status):
      self.init(
        ErrorWords.translated(message),
        advice: Self.advice(reason, retryAfter, status: status)
      )
    case .providerRefused(_, let message, _, _):
      self.init(
        tr("the provider refused: %s", message),
        advice: tr("try again, or ask the provider why")
      )
    case .machineKeyNeeded(let message):
      self.init(
        ErrorWords.translated(message),
        advice: tr("open it with “Open with Security Key”")
      )
    case .vaultUnsafe(let message, let hint):
      self.init(
        ErrorWords.translated(message),
        advice: hint.map(ErrorWords.translated) ?? Clause(tr("nothing was changed"))
      )
    case .internal(let message):
      self.init(
        tr("unexpected failure: %s", message),
        advice: tr("this is a bug; please report it")
      )
    case .keyPINNeeded(let message, _):
      self.init(ErrorWords.translated(message), advice: tr("type the PIN of the security key"))
    case .noDesktop(let message, _):
      self.init(message, unlessAdvised: tr("try again at this desktop"))
    case .invalidArgument(let message):
      self.init(message, unlessAdvised: tr("correct that, then try again"))
    case .misconfigured(let message):
      self.init(message, unlessAdvised: tr("correct the file of the provider, or ask the provider"))
    case .refused(let message, _): self.init(message, unlessAdvised: tr("nothing was changed"))
    }
  }

  /// A message of the engine that may end with a command: then that is the advice.
  private init(_ message: String, unlessAdvised advice: String) {
    self.init(ErrorWords.translated(message), advice: Self.holdsCommand(message) ? nil : advice)
  }

  /// The account was removed, or has another name now.
  static var missingAccount: Trouble {
    Trouble(tr("the account is no longer there"), advice: look)
  }

  private static var look: String { tr("the list shows what is there now") }
  private static var administrator: String { tr("ask the administrator of this machine") }

  private static func advice(_ outcome: PresenceOutcome) -> String {
    switch outcome {
    case .notEnrolled: tr("enroll a finger, under Fingers, or use the system password")
    case .busy: tr("try again when that is over")
    case .lockedOut: tr("try again, and type the system password")
    case .denied:
      tr("nothing was changed; try again, or ask the administrator of this machine")
    case .notAvailable: tr("Health may show what is missing; then try again")
    case .cancelled, .passwordChosen, .noMatch, .timedOut: tr("nothing was changed; try again")
    }
  }

  private static func advice(
    _ reason: UnavailableReason?,
    _ retryAfter: Int?,
    status: Int?
  ) -> String {
    switch reason {
    case .authority, .name, .pin, .certificate:
      tr("nothing was sent; thumblatch provider test says more")
    case .expired, .notYetValid:
      tr("nothing was sent; check the clock of this machine, under Health")
    case .listener: tr("nothing was sent; the provider's program runs as another user")
    case let reason? where reason.isRefusal(status: status):
      tr("the login is kept; try again later")
    case .uncertain: tr("the provider may have received the request; try again later")
    case nil, .notAnswering, .refusedOnce:
      retryAfter.map {
        ntr(
          "nothing is lost; try again in %d second",
          "nothing is lost; try again in %d seconds",
          $0
        )
      } ?? tr("nothing is lost; try again later")
    }
  }
}
