import JSON
import VaultInterface

func confidential() throws -> VaultProvider {
  VaultProvider(
    name: "idp",
    settings: ["client_id": "c", "issuer": "https://id.example.org", "kind": "oidc"],
    clientSecret: try secret("hunter2 \"\\")
  )
}

/// The messages of accounts, their tokens and the audit log.
func accountSamples() throws -> [Sample] {
  try statusSamples() + passwordSamples() + tokenSamples() + logoutSamples() + auditSamples()
    + changeSamples() + termsSamples()
}

private func statusSamples() throws -> [Sample] {
  [
    try call(GetStatusCall()),
    try reply(
      to: GetStatusCall.self,
      VaultStatus(
        form: .private,
        version: "0.1",
        process: 4211,
        deviceSecret: "file",
        memory: .secret,
        unlocked: true,
        unlockedFor: 60,
        unlockedAccounts: ["me", "work"],
        enrolledFingers: ["right-index"],
        fingerprintLockedOut: false,
        problem: "older",
        remedy: "thumblatch recover",
        desktopFingers: ["right-thumb"],
        fingerSource: .namesOnly,
        fingerReason: "r",
        enrolledKeys: ["blue"],
        counter: .unchecked
      )
    ),
    try call(GetAccountCall(account: "me")),
    try reply(to: GetAccountCall.self, GetAccountReply(account: account)),
    try call(GetReaderCall()),
    try reply(to: GetReaderCall.self, GetReaderReply(reader: reader)),
  ]
}

private func passwordSamples() throws -> [Sample] {
  [
    try call(
      RegisterCall(
        account: "me",
        provider: provider,
        email: "ann@example.org",
        name: "Ann",
        password: secret("hunter2 \"\\ é😀"),
        exportable: true,
        prompt: "p1"
      )
    ),
    try reply(to: RegisterCall.self, AccountReply(account: account)),
    try call(
      LoginCall(
        account: "me",
        provider: provider,
        email: "ann@example.org",
        password: secret("hunter2"),
        exportable: true,
        prompt: "p1"
      )
    ),
    try reply(to: LoginCall.self, AccountReply(account: account)),
    try call(
      StoreSecretCall(
        account: "me",
        provider: provider,
        secret: secret("ghp_ \"\\ é😀"),
        username: "ann",
        label: "GitHub",
        expiresAt: 1_800_000_000,
        claims: JSONObject([("a", [1, "b"])]),
        presenceProtection: true,
        prompt: "p1",
        ask: true
      )
    ),
    try reply(to: StoreSecretCall.self, AccountReply(account: account)),
    try call(
      ImportLoginCall(
        account: "me",
        provider: confidential(),
        refreshToken: secret("rt \"\\ é😀"),
        prompt: "p1",
        ask: true
      )
    ),
    try reply(
      to: ImportLoginCall.self,
      ImportLoginReply(account: account, rotated: true)
    ),
  ]
}

private func tokenSamples() throws -> [Sample] {
  [
    try call(
      AccessTokenCall(
        account: "me",
        minimumLifetime: 10,
        rejected: "ey.J.x",
        prompt: "p1",
        scope: "read write",
        audience: "https://api.example.org",
        ask: false,
        narrow: true,
        remember: true,
        reason: "deploy",
        helper: true
      )
    ),
    try reply(
      to: AccessTokenCall.self,
      AccessTokenReply(
        account: "me",
        accessToken: "ey.J.y",
        tokenType: "Bearer",
        expiresAt: 1_800_000_000,
        shorterThanRequested: true,
        scope: "read",
        missingScope: "write"
      )
    ),
  ]
}

private func logoutSamples() throws -> [Sample] {
  [
    try call(LogoutCall(account: "me", local: true, prompt: "p1")),
    try reply(
      to: LogoutCall.self,
      LogoutReply(revoked: false, reason: "unreachable", offline: true, grant: .valid)
    ),
    try call(LogoutAllCall(local: true, prompt: "p1")),
    try reply(
      to: LogoutAllCall.self,
      LogoutAllReply(
        ended: EndedAccount(
          account: "me",
          provider: "dev",
          erased: false,
          grant: .unknown,
          reason: "unreachable",
          offline: true,
          error: "VaultUnsafe"
        )
      )
    ),
    try call(WhoAmICall(account: "me", prompt: "p1")),
    try reply(
      to: WhoAmICall.self,
      WhoAmIReply(account: account, profile: ["id": 17, "password": "no secret", "x": [nil]])
    ),
  ]
}

private func auditSamples() throws -> [Sample] {
  [
    try call(AuditCall(account: "me", since: -1)),
    try call(AuditCall(follow: true)),
    try reply(
      to: AuditCall.self,
      AuditReply(
        record: VaultAuditRecord(
          number: 1,
          time: 1_800_000_000,
          event: "refresh",
          outcome: "ok",
          account: "me",
          method: "fingerprint",
          requester: "bash, PID 4211",
          detail: "d"
        )
      )
    ),
    try call(VerifyAuditCall()),
    try reply(
      to: VerifyAuditCall.self,
      VerifyAuditReply(
        whole: false,
        records: 9,
        first: 2,
        last: 11,
        firstTime: 1_800_000_000,
        lastTime: 1_800_000_001,
        bad: 7,
        badTime: 1_800_000_001,
        problem: "altered",
        head: "00ff"
      )
    ),
  ]
}

private func changeSamples() throws -> [Sample] {
  [
    try call(RenameAccountCall(account: "me", name: "work", prompt: "p1")),
    try reply(to: RenameAccountCall.self, AccountReply(account: account)),
    try call(SetDefaultAccountCall(account: "me", prompt: "p1")),
    try reply(to: SetDefaultAccountCall.self, AccountReply(account: account)),
    try call(RemoveAccountCall(account: "me", local: true, prompt: "p1")),
    try reply(
      to: RemoveAccountCall.self,
      LogoutReply(revoked: false, reason: "offline", offline: true, grant: .unknown)
    ),
  ]
}

private func termsSamples() throws -> [Sample] {
  [
    try call(RequestTermsCall(account: "me")),
    try reply(
      to: RequestTermsCall.self,
      RequestTermsReply(
        account: "me",
        issuer: "https://id.example.org",
        hosts: ["api.example.org", "api.example.org:8443"],
        ca: "-----BEGIN CERTIFICATE-----\n",
        pins: ["sha256//AAAA"],
        proxy: "http://localhost:3128",
        listeners: [998],
        connectTimeout: 10,
        resource: "https://mcp.example.org/mcp",
        anyHost: false
      )
    ),
    try call(ExamineCall()),
    try reply(
      to: ExamineCall.self,
      ExamineReply(
        name: "slots",
        level: .warning,
        message: "m",
        remedy: "r",
        signIn: "me",
        protect: "work",
        command: "thumblatch store me"
      )
    ),
    try call(AccountProviderCall(account: "me")),
    try reply(
      to: AccountProviderCall.self,
      AccountProviderReply(account: "me", provider: confidential())
    ),
    try call(ApplyProviderCall(account: "me", provider: confidential(), prompt: "p1")),
    try reply(to: ApplyProviderCall.self, AccountReply(account: account)),
  ]
}
