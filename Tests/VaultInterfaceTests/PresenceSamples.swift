import JSON
import PresenceTerms
import SecretMemory
import Varlink
import VaultInterface

func error(_ error: VaultError) throws -> Sample {
  let reply = try error.reply
  let fullName = reply.error ?? ""
  return Sample(
    interface: .vault,
    direction: .error,
    name: try split(fullName).1,
    isVariant: false,
    parameters: reply.parameters,
    again: { parameters in
      let error = try VaultError(decoding: VarlinkReply(parameters: parameters, error: fullName))
      return try error?.reply.parameters ?? JSONObject()
    }
  )
}

let reader = VaultReader(
  available: false,
  name: "Virtual",
  driver: "virtual_device",
  reason: "held by fprintd",
  inUse: true,
  known: .lastUsed
)

/// The messages of checks and fingers, and the errors.
func presenceSamples() throws -> [Sample] {
  try checkSamples() + ruleSamples() + protectionSamples() + fingerSamples() + securityKeySamples()
    + presenceErrors()
    + otherErrors()
}

private func checkSamples() throws -> [Sample] {
  try [
    call(CheckCall(prompt: "p1", presenceMethod: .fingerprint)),
    call(CheckCall(prompt: "p1", presenceMethod: .password, wait: true)),
    call(CheckCall(prompt: "p1", presenceMethod: .key, wait: true)),
    call(CheckCall(prompt: "p1", presenceMethod: .fingerprint, also: [.key])),
    reply(to: CheckCall.self, .waiting(), isVariant: true),
    reply(to: CheckCall.self, .waiting(seconds: 4), isVariant: true),
    reply(to: CheckCall.self, .waiting(finger: "left-thumb", scan: .swipe), isVariant: true),
    reply(to: CheckCall.self, .retry(.centerFinger), isVariant: true),
    reply(to: CheckCall.self, .ask(text: "Password: ", hidden: true), isVariant: true),
    reply(to: CheckCall.self, .says(text: "The account is locked."), isVariant: true),
    reply(
      to: CheckCall.self,
      .deviceFailed(.key, reason: .notAvailable, message: "d", methods: [.fingerprint]),
      isVariant: true
    ),
    reply(to: CheckCall.self, .passed, isVariant: true),
    reply(to: CheckCall.self, .queued, isVariant: true),
    reply(to: CheckCall.self, .free, isVariant: true),
  ] + respondSamples()
}

private func respondSamples() throws -> [Sample] {
  try [
    call(RespondCall(prompt: "p1", text: secret("hunter2"))),
    reply(to: RespondCall.self, .retry(.general), isVariant: true),
    reply(to: RespondCall.self, .waiting(seconds: 4), isVariant: true),
    reply(to: RespondCall.self, .ask(text: "New password: ", hidden: false), isVariant: true),
    call(CancelCall(prompt: "p1")),
    reply(to: CancelCall.self, EmptyReply()),
    call(AskAtDesktopCall(prompt: "p1")),
    reply(to: AskAtDesktopCall.self, EmptyReply()),
    call(NextPromptCall()),
    reply(
      to: NextPromptCall.self,
      NextPromptReply(
        prompt: PresenceRequest(
          prompt: "p1",
          requester: "git, PID 7",
          account: "me",
          purpose: .refresh,
          detail: "scope mail",
          methods: [.fingerprint, .password],
          timeout: 30,
          reason: "r",
          scan: .press,
          statedReason: "deploy"
        )
      )
    ),
    call(NextPromptCall(notices: true)),
    reply(
      to: NextPromptCall.self,
      NextPromptReply(
        notice: DesktopNotice(
          kind: .allowed,
          account: "me",
          requester: "git, PID 7",
          purpose: .refresh,
          detail: "scope mail",
          method: "unlock-window"
        )
      )
    ),
    reply(
      to: NextPromptCall.self,
      NextPromptReply(notice: DesktopNotice(kind: .loginRequired, account: "me", browser: true))
    ),
    reply(
      to: NextPromptCall.self,
      NextPromptReply(
        notice: DesktopNotice(kind: .secretExpires, account: "me", expiresAt: 1_800_000_000)
      )
    ),
  ]
}

private func ruleSamples() throws -> [Sample] {
  try [
    call(RestrictCall(name: "build", accounts: ["me", "you"], scope: "read write", rule: "ci")),
    reply(to: RestrictCall.self, EmptyReply()),
    call(ListRulesCall()),
    reply(
      to: ListRulesCall.self,
      ListRulesReply(
        file: "/etc/thumblatch/thumblatch.conf",
        rules: [
          VaultCallerRule(name: "ci", settings: ["rate": "5"], own: true, loosensDesktop: true)
        ]
      )
    ),
    call(TestRuleCall(process: 7, unit: "ci.service")),
    reply(
      to: TestRuleCall.self,
      TestRuleReply(
        unit: "a.service",
        userUnit: "b.scope",
        sandboxed: true,
        rules: ["ci"],
        because: ["sandbox = yes"],
        limits: ["rate": "5"]
      )
    ),
  ]
}

private func protectionSamples() throws -> [Sample] {
  try [
    call(EnablePresenceCall(account: "me", prompt: "p1")),
    reply(to: EnablePresenceCall.self, AccountReply(account: account)),
    call(DisablePresenceCall(account: "me", prompt: "p1")),
    reply(to: DisablePresenceCall.self, AccountReply(account: account)),
    call(TestPresenceCall(prompt: "p1")),
    reply(to: TestPresenceCall.self, TestPresenceReply(method: "fingerprint")),
    call(UnlockCall(accounts: ["me"], duration: 900, prompt: "p1")),
    reply(to: UnlockCall.self, UnlockReply(unlockedFor: 900, unlockedAccounts: ["me"])),
    call(LockCall()),
    reply(to: LockCall.self, LockReply(wasUnlocked: true)),
  ]
}

private func securityKeySamples() throws -> [Sample] {
  let keys = ListKeysReply(keys: [VaultSecurityKey(name: "blue", enrolledAt: 1_700_000_000)])
  return try [
    call(ListKeysCall()),
    reply(to: ListKeysCall.self, keys),
    call(EnrollKeyCall(key: "blue", pin: secret("hunter2"), prompt: "p1")),
    reply(to: EnrollKeyCall.self, EnrollKeyReply(event: .done, key: "blue")),
    call(RemoveKeyCall(key: "blue", prompt: "p1")),
    reply(to: RemoveKeyCall.self, keys),
  ]
}

private func fingerSamples() throws -> [Sample] {
  try [
    call(ListFingersCall()),
    reply(
      to: ListFingersCall.self,
      ListFingersReply(
        fingers: ["left-thumb"],
        reader: reader,
        desktopFingers: ["right-thumb"],
        fingerSource: .fprintd,
        fingerReason: "r"
      )
    ),
    call(DeleteFingerCall(finger: "right-index", prompt: "p1")),
    reply(to: DeleteFingerCall.self, DeleteFingerReply(fingers: ["left-thumb"], onReader: "w")),
    call(EnrollFingerCall(finger: "right-index", prompt: "p1")),
    reply(
      to: EnrollFingerCall.self,
      EnrollFingerReply(
        event: .retry,
        finger: "right-index",
        stage: 2,
        stages: 5,
        hint: .removeFinger,
        scan: .swipe
      )
    ),
  ]
}

private func presenceErrors() throws -> [Sample] {
  try [
    error(
      .presenceNeeded(
        PresenceRequest(
          prompt: "p1",
          requester: "bash, PID 4211",
          account: "me",
          purpose: .refresh,
          detail: "d",
          methods: [.fingerprint, .password],
          timeout: 30,
          reason: "r",
          scan: .press,
          statedReason: "deploy",
          atDesktop: true
        )
      )
    ),
    error(.presenceFailed(.passwordChosen, message: "m", methods: [.password])),
  ]
}

private func otherErrors() throws -> [Sample] {
  try [
    error(.busy(message: "m", retryAfter: 15)),
    error(.noDesktop(message: "m", reason: .passwordOnly)),
    error(.noSuchAccount(account: "me")),
    error(.noSuchUser(user: "ada")),
    error(.noSuchFinger(finger: "left-thumb")),
    error(.noSuchKey(key: "blue")),
    error(.invalidArgument(message: "m")),
    error(.loginRequired(account: "me", message: "m")),
    error(.providerUnavailable(message: "m", retryAfter: 30, offline: true)),
    error(.providerUnavailable(message: "m", retryAfter: nil, reason: .authority)),
    error(.providerUnavailable(message: "m", retryAfter: nil, status: 503)),
    error(.providerRefused(status: 401, message: "m")),
    error(.misconfigured(message: "m")),
    error(.machineKeyNeeded(message: "m")),
    error(.keyPINNeeded(message: "m", retries: 7)),
    error(.vaultUnsafe(message: "m", hint: "h")),
    error(.refused(message: "m")),
    error(.refused(message: "m", narrows: true)),
    error(.internal(message: "m")),
  ]
}
