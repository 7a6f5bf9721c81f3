internal import DesktopPrompt
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

extension CommandError {
  /// The message about a vault that cannot be reached, or that refused.
  init(_ error: VaultClientError) {
    if case .refused(let error) = error {
      self.init(error)
    } else if case .interrupted = error {
      self = .interrupted
    } else {
      self.init(ExitCode(error), "\(error)", hint: error.remedy)
    }
  }

  /// The same for a call that is not made again, because the engine may have carried it out.
  init(_ error: VaultClientError, _ again: Repetition) {
    guard error.leavesInDoubt(again) else {
      self.init(error)
      return
    }
    self.init(
      ExitCode(error),
      "\(error)",
      hint: "the call may have taken effect: check thumblatch status first",
      isInDoubt: true
    )
  }

  /// The message about a terminal that cannot be read, or an answer that cannot be used.
  init(_ error: TerminalError) {
    switch error {
    case .interrupted: self = .interrupted
    case .tooLong(let maximum):
      self.init(.usage, "the answer is longer than \(maximum) bytes")
    case .holdsNUL: self.init(.usage, "a password cannot hold a NUL character")
    case .notText: self.init(.usage, "the answer is not UTF-8")
    case .noMemory(let error):
      self.init(.bug, "no locked memory for the password: \(error)")
    case .system(let error): self.init(.promptNeeded, "\(error)")
    }
  }

  /// The message about a desktop that cannot show a prompt.
  init(_ error: DesktopError, for need: String) {
    self.init(
      .promptNeeded,
      "\(need) is needed, but there is no terminal, and \(error)",
      hint: Self.foreground
    )
  }

  /// The advice to a program without a terminal.
  static let foreground = "run the command in the foreground of a terminal"

  /// The advice to a program behind a restricted socket.
  private static let atDesktop = "the prompt appears only at the desktop where the agent runs"
  /// The same with `--no-input`.
  static let atDesktopWithInput = "\(atDesktop); leave --no-input out"

  /// The advice to a program behind a restricted socket whose prompt was not shown, by the reason.
  ///
  /// `nil` if no desktop may show it.
  private static func advice(behindSocket reason: NoDesktopReason?) -> String? {
    switch reason {
    case .off, .passwordOnly: nil
    case .locked: "\(atDesktop); unlock its screen, then try again"
    case .noAgent, nil: atDesktop
    }
  }

  /// The advice if no agent shows a prompt, by the engine's reason.
  static func advice(withoutAgent reason: NoDesktopReason?) -> String {
    guard reason == .noAgent else { return foreground }
    return "add \"thumblatch agent\" to the programs that your desktop starts, or \(foreground)"
  }

  /// Whether the advice is for a program behind a restricted socket.
  var isForSocket: Bool { hint?.hasPrefix(Self.atDesktop) == true }

  /// How the machine key is opened.
  static let openHint =
    "at a terminal: thumblatch status; or open it with the recovery code: thumblatch recover --code"

  /// How the engine says that an account has to be named.
  static let severalAccounts = "there are several accounts: name one"
  /// The same if none of them has a login.
  static let onlySecrets = "every account keeps a static secret: name one"

  private static let userHint = "give the name that the vault was made for, or the uid"

  private static func unavailable(
    _ code: ExitCode,
    _ message: String,
    _ retryAfter: Int?,
    _ isOffline: Bool,
    _ reason: UnavailableReason?,
    _ status: Int?
  ) -> CommandError {
    CommandError(
      code,
      message,
      hint: UnavailableText.hint(
        reason,
        retryAfter: retryAfter,
        status: status,
        isOffline: isOffline
      ),
      reason: isOffline ? .offline : reason.flatMap { Reason(word: $0.rawValue) },
      status: status
    )
  }

  /// The message about an error of the vault's interface.
  init(_ error: VaultError) {
    let code = ExitCode(error)
    switch error {
    case .presenceNeeded(let request):
      self.init(code, "\(PresenceText.need(request)) is needed")
    case .presenceFailed(let outcome, let message, _):
      self.init(code, PresenceText.failure(outcome, message), hint: PresenceText.hint(outcome))
    case .busy(let message, let retryAfter):
      let again = retryAfter.map { "in \($0) second\($0 == 1 ? "" : "s")" } ?? "when that is over"
      self.init(code, message, hint: "try again \(again)")
    // For other programs, `Session.checkByAgent` makes the error.
    case .noDesktop(let message, let reason):
      self.init(code, message, hint: Self.advice(behindSocket: reason))
    case .noSuchAccount(let account) where account.isEmpty:
      self.init(code, "no account yet", hint: "thumblatch login NAME --provider P")
    case .noSuchAccount(let account):
      self.init(code, "no such account: \(account)", hint: "thumblatch account list")
    case .noSuchUser(let user):
      self.init(code, "\(user) has no vault here", hint: Self.userHint)
    case .noSuchFinger(let finger):
      self.init(code, "no such finger: \(finger)", hint: "thumblatch fingers list")
    case .noSuchKey(let key):
      self.init(code, "no such security key: \(key)", hint: "thumblatch keys list")
    case .loginRequired(let account, let message):
      let verb = Self.isAboutSecret(message) ? "store" : "login"
      let why = message.isEmpty ? "" : ": \(message)"
      self.init(code, "login required for \(account)\(why)", hint: "thumblatch \(verb) \(account)")
    case .providerUnavailable(let message, let retryAfter, let offline, let reason, let status):
      self = Self.unavailable(code, message, retryAfter, offline == true, reason, status)
    case .providerRefused(let status, let message, let reason, let fields):
      self.init(
        code,
        "the provider refused (HTTP \(status)): \(message)",
        reason: reason.flatMap { Reason(word: $0.rawValue) },
        status: status,
        fields: fields
      )
    case .machineKeyNeeded(let message): self.init(code, message, hint: Self.openHint)
    case .keyPINNeeded(let message, let retries):
      self.init(code, message + (retries.map { " (tries left: \($0))" } ?? ""))
    case .vaultUnsafe(let message, let hint):
      self.init(code, message, hint: hint ?? "nothing was changed")
    case .internal(let message):
      self.init(code, "unexpected failure: \(message)", hint: "this is a bug; please report it")
    case .invalidArgument(let message)
    where message == Self.severalAccounts || message == Self.onlySecrets:
      self.init(code, message, hint: AccountText.chooseDefault)
    case .misconfigured(let message): self.init(code, message, reason: .misconfigured)
    case .invalidArgument(let message), .refused(let message, narrows: false):
      self.init(code, message)
    case .refused(let message, narrows: true):
      self.init(code, message, hint: NarrowingConsent.remedy, reason: .mayNarrow)
    }
  }
}

extension CommandError.Reason {
  /// The reason for a word of the vault's interface; `nil` if it has none here.
  init?(word: String) {
    self.init(rawValue: String(word.map { $0 == "_" ? "-" : $0 }))
  }
}

extension CommandError {
  /// The engine's words for the static secret that a caller says was refused.
  static let refusedSecret = "its secret is refused"

  /// Whether the reason of a required login is about a secret that no login renews.
  static func isAboutSecret(_ message: String) -> Bool {
    [refusedSecret, "its secret has expired", "it no longer has a secret"].contains(message)
  }
}
