import VaultInterface

/// `Rekey`, `Recover`, `Release`, `GetPolicy`, `SetPolicy`.
func keySamples() throws -> [Sample] {
  try [
    call(RekeyCall(prompt: "p1")),
    reply(to: RekeyCall.self, RekeyReply(accounts: 2, prints: 1, records: 4711)),
    call(RecoverCall(prompt: "p1")),
    reply(to: RecoverCall.self, RecoverReply(loginRequired: ["me", "work"])),
    call(ReleaseCall(account: "me", keep: true, prompt: "p1")),
    reply(
      to: ReleaseCall.self,
      ReleaseReply(refreshToken: secret("rt-hunter2 \"\\ é"), signedOut: true)
    ),
    call(GetPolicyCall()),
    reply(to: GetPolicyCall.self, GetPolicyReply(file: "/etc/f", rules: [rule])),
    call(RemoveUserCall(user: "ada", account: "me")),
    reply(
      to: RemoveUserCall.self,
      RemoveUserReply(
        user: 1001,
        name: "ada",
        accounts: [EndedAccount(account: "me", provider: "dev", erased: true, grant: .valid)],
        onReader: "right-index: it is not plugged in"
      )
    ),
    call(SetPolicyCall(key: "window", value: "5", prompt: "p1")),
    reply(
      to: SetPolicyCall.self,
      SetPolicyReply(changed: true, file: "/etc/f", rules: [rule])
    ),
  ]
}

private let rule = VaultRule(
  key: "window",
  machine: "10",
  own: "5",
  holds: "5",
  forUsers: true
)
