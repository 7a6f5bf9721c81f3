internal import PresenceTerms
internal import TerminalIO
internal import VaultInterface

extension Trouble {
  /// What an error of the vault says, and what to do about it.
  init(_ error: VaultError) {
    switch error {
    case .presenceNeeded(let request): self.init("\(PresenceText.need(request)) is needed")
    case .presenceFailed(let outcome, let message, _):
      self.init(PresenceText.failure(outcome, message))
    case .busy(let message, let retryAfter):
      let moment = retryAfter.map { "in \($0) second\($0 == 1 ? "" : "s")" } ?? "when it is done"
      self.init(message, advice: "try again \(moment)")
    case .noSuchAccount: self.init("the account is no longer there")
    case .noSuchFinger: self.init("the finger is no longer there")
    case .noSuchKey: self.init("the security key is no longer there")
    case .noSuchUser(let user): self.init("\(user) has no vault here")
    case .loginRequired(_, let message):
      self.init(message.isEmpty ? "a sign-in is required" : "a sign-in is required: \(message)")
    case .providerUnavailable(let message, let retryAfter, _, let reason, _):
      self.init(message, advice: Self.advice(reason, retryAfter))
    case .providerRefused(_, let message, _, _): self.init("the provider refused: \(message)")
    case .machineKeyNeeded(let message):
      self.init(message, advice: "open it at a terminal: thumblatch status")
    case .vaultUnsafe(let message, let hint):
      self.init(message, advice: hint ?? "nothing was changed")
    case .internal(let message):
      self.init("unexpected failure: \(message)", advice: "this is a bug; please report it")
    case .noDesktop(let message), .invalidArgument(let message), .keyPINNeeded(let message, _),
      .misconfigured(let message), .refused(let message, _):
      self.init(message)
    }
  }

  private static func advice(_ reason: UnavailableReason?, _ retryAfter: Int?) -> String {
    switch reason {
    case .authority, .name, .pin, .certificate:
      "nothing was sent; thumblatch provider test says more"
    case .expired, .notYetValid:
      "nothing was sent; check the clock of this machine, under Health"
    case .listener: "nothing was sent; the provider's program runs as another user"
    case .uncertain: "the provider may have taken it; try again later"
    case nil, .notAnswering, .refusedOnce:
      retryAfter.map { "nothing is lost; try again in \($0) seconds" }
        ?? "nothing is lost; try again later"
    }
  }
}
