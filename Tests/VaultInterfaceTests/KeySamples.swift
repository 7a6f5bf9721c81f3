import VaultInterface

/// `Rekey`, `Recover`, `Release`.
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
  ]
}
