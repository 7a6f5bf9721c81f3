import PresenceTerms
import System
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

/// The engine's message if a provider refuses a sign-in with `invalid_grant`.
let invalidGrant = "the code, token or password of the sign-in is not valid"

/// The engine's message about the redirect of another sign-in.
let wrongState = "the redirect belongs to another sign-in (wrong `state`)"

/// The engine's message about an answer without an access token.
let withoutAccessToken =
  "the answer has no text `access_token`; check client, scope and endpoints of provider dev"

/// The cases of `VaultError`.
///
/// A new case makes `VaultError.listedCase` incomplete, and a test requires a sample of it.
enum VaultErrorCase: CaseIterable {
  case presenceNeeded, presenceFailed, busy, noSuchAccount, noSuchUser, noSuchFinger, noSuchKey
  case invalidArgument, loginRequired, providerUnavailable, providerRefused, misconfigured
  case machineKeyNeeded, keyPINNeeded
  case vaultUnsafe, refused, mayNarrow, `internal`, noDesktop
}

extension VaultError {
  var listedCase: VaultErrorCase {
    switch self {
    case .presenceNeeded: .presenceNeeded
    case .presenceFailed: .presenceFailed
    case .busy: .busy
    case .noSuchAccount: .noSuchAccount
    case .noSuchUser: .noSuchUser
    case .noSuchFinger: .noSuchFinger
    case .noSuchKey: .noSuchKey
    case .invalidArgument: .invalidArgument
    case .loginRequired: .loginRequired
    case .providerUnavailable: .providerUnavailable
    case .providerRefused: .providerRefused
    case .misconfigured: .misconfigured
    case .machineKeyNeeded: .machineKeyNeeded
    case .keyPINNeeded: .keyPINNeeded
    case .vaultUnsafe: .vaultUnsafe
    case .refused(_, let narrows): narrows ? .mayNarrow : .refused
    case .internal: .internal
    case .noDesktop: .noDesktop
    }
  }

  static let samples: [VaultError] =
    [
      .presenceNeeded(.sample(.refresh)),
      .busy(
        message: "too many prompts were opened without a passed check; cancelled prompts count",
        retryAfter: 15
      ),
      .busy(message: "another finger is being enrolled"),
      .noSuchAccount(account: ""), .noSuchAccount(account: "me"), .noSuchUser(user: "bob"),
      .noSuchFinger(finger: "left-thumb"), .noSuchKey(key: "blue"),
      .invalidArgument(message: CommandError.severalAccounts),
      .invalidArgument(message: "an unlock window is between 1 second and 12 hours long"),
      .loginRequired(account: "me", message: ""),
      .loginRequired(account: "me", message: "the provider signed you out"),
      .providerRefused(status: 401, message: "wrong e-mail or password"),
      .misconfigured(message: "`token_type` is not Bearer"),
      .machineKeyNeeded(message: "the vault needs a touch of its security key"),
      .keyPINNeeded(message: "the security key wants its PIN", retries: 8),
      .keyPINNeeded(message: "the security key wants its PIN", retries: nil),
      .vaultUnsafe(message: "vault.db is damaged", hint: "restore it from a copy"),
      .vaultUnsafe(message: "vault.db is damaged", hint: nil),
      .refused(message: "me is not exportable"),
      .refused(message: "a token for fewer scopes may narrow the login", narrows: true),
      .internal(message: "the store failed"),
      .noDesktop(message: "this engine has no agents"),
    ]
    + PresenceOutcome.allCases.map { .presenceFailed($0, message: "", methods: []) }
    + [.presenceFailed(.denied, message: "this needs the system password", methods: [])]
    + ([nil] + UnavailableReason.allCases).map {
      .providerUnavailable(message: "the reason of the engine", retryAfter: 90, reason: $0)
    } + [
      .providerUnavailable(
        message: "the provider refused the refresh token with an answer that is not JSON"
          + " (HTTP 400)",
        retryAfter: 90,
        reason: .uncertain,
        status: 400
      ),
      .providerUnavailable(message: "no network", retryAfter: nil, offline: true),
    ]
}

extension PresenceRequest {
  static func sample(
    _ purpose: PresencePurpose,
    detail: String? = nil,
    reason: String? = nil
  ) -> PresenceRequest {
    PresenceRequest(
      prompt: "p1",
      requester: "bash, PID 4211",
      account: "me",
      purpose: purpose,
      detail: detail,
      methods: [.fingerprint, .password],
      timeout: 30,
      reason: reason
    )
  }
}

/// The cases of `VaultClientError`, as those of `VaultErrorCase`.
enum VaultClientErrorCase: CaseIterable {
  case noStateDirectory, notAbsolute, notText, unsafeDirectory, engineMissing, engineUnsafe
  case exchangeHelperMissing, engineFailed, unsafeVault, unreachable, wrongServer, disconnected
  case timedOut, interrupted, malformed, notUnderstood, unknownError, refused
  case asksWithoutEnd, system, privateForbidden, callTooLong
}

extension VaultClientError {
  var listedCase: VaultClientErrorCase {
    switch self {
    case .noStateDirectory: .noStateDirectory
    case .notAbsolute: .notAbsolute
    case .notText: .notText
    case .unsafeDirectory: .unsafeDirectory
    case .engineMissing: .engineMissing
    case .engineUnsafe: .engineUnsafe
    case .exchangeHelperMissing: .exchangeHelperMissing
    case .engineFailed: .engineFailed
    case .unsafeVault: .unsafeVault
    case .unreachable: .unreachable
    case .wrongServer: .wrongServer
    case .disconnected: .disconnected
    case .timedOut: .timedOut
    case .interrupted: .interrupted
    case .callTooLong: .callTooLong
    case .malformed: .malformed
    case .notUnderstood: .notUnderstood
    case .unknownError: .unknownError
    case .refused: .refused
    case .asksWithoutEnd: .asksWithoutEnd
    case .privateForbidden: .privateForbidden
    case .system: .system
    }
  }

  static let samples: [VaultClientError] = [
    .noStateDirectory, .notAbsolute(variable: "THUMBLATCH_STATE_DIR"),
    .notText(variable: "THUMBLATCH_STATE_DIR"),
    .unsafeDirectory(
      path: "/home/ada/.local/state/thumblatch",
      reason: "other users may enter it (mode 755)",
      remedy: "chmod 700 /home/ada/.local/state/thumblatch"
    ),
    .unsafeDirectory(
      path: "/home/ada/.local/state/thumblatch",
      reason: "this sandbox hides its owner",
      remedy: "map your own user in the sandbox: bwrap, or unshare --map-current-user"
    ),
    .unsafeDirectory(
      path: "/run/thumblatch",
      reason: "its owner is hidden in this sandbox, where user 65534 stands for several users",
      remedy: "mount a socket of thumblatch agent --socket in the sandbox"
    ),
    .engineMissing(places: ["/usr/libexec/thumblatch", "/usr/local/libexec/thumblatch"]),
    .engineUnsafe(path: "/opt/thumblatchd", reason: "others may write to it"),
    .exchangeHelperMissing(reason: "thumblatch-exchange is not in /usr/libexec/thumblatch"),
    .engineFailed(reason: "it did not report that it is listening"),
    .unsafeVault(reason: "vault.db is damaged", remedy: "restore it from a copy"),
    .unsafeVault(reason: "vault.db is damaged", remedy: nil),
    .unreachable(
      place: "/run/thumblatch/io.thumblatch.Vault",
      cause: SystemError("connect", code: 111)
    ),
    .privateForbidden(
      reason: "private vaults are not allowed (private in /etc/thumblatch/thumblatch.conf:3)"
    ),
    .privateForbidden(
      reason: "cannot read whether private vaults are allowed:"
        + " /etc/thumblatch/thumblatch.conf:3: private: must be never or allowed, not \"nevr\""
    ),
    .privateForbidden(
      reason: "cannot read whether private vaults are allowed: /etc/thumblatch:"
        + " its owner is hidden in this sandbox, where user 65534 stands for several users"
    ),
    .wrongServer(user: 1001), .asksWithoutEnd, .disconnected, .timedOut, .interrupted,
    .callTooLong(maximum: 65_536), .malformed(.notAnObject),
    .notUnderstood(.methodNotFound("io.thumblatch.Vault.New")),
    .notUnderstood(.invalidParameter("account")), .notUnderstood(.permissionDenied),
    .notUnderstood(.expectedMore), .unknownError("io.example.Error"),
    .refused(.refused(message: "only root may remove a user's vault")),
    .system(SystemError("socket", code: 13)),
  ]
}
