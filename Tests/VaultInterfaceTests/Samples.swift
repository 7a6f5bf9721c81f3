import JSON
import SecretMemory
import Varlink
import VarlinkMethods
import VaultInterface

/// One message of an interface, with its encoding and decoding.
struct Sample: Sendable, CustomStringConvertible {
  enum Direction {
    case call
    case reply
    case error
  }

  let interface: VarlinkInterface
  let direction: Direction
  /// The name in the interface, such as `AccessToken`.
  let name: String
  /// Whether the members depend on the event.
  let isVariant: Bool
  let parameters: JSONObject
  /// Decodes and encodes again.
  let again: @Sendable (JSONObject) throws -> JSONObject

  var description: String { "\(interface.name).\(name) \(direction)" }

  /// The same message with other parameters, over the wire and back.
  func received(_ parameters: JSONObject) throws -> JSONObject {
    var buffer = MessageBuffer(interface)
    try unsafe message(parameters).withUnsafeBytes { unsafe try buffer.append($0) }
    switch direction {
    case .call: return try buffer.nextCall()?.parameters ?? JSONObject()
    case .reply, .error: return try buffer.nextReply()?.parameters ?? JSONObject()
    }
  }

  /// The message with these parameters, and its NUL.
  func message(_ parameters: JSONObject) throws -> SecretBytes {
    let fullName = "\(interface.name).\(name)"
    switch direction {
    case .call:
      return try VarlinkCall(method: fullName, parameters: parameters).encoded(on: interface)
    case .reply: return try VarlinkReply(parameters: parameters).encoded(on: interface)
    case .error:
      return try VarlinkReply(parameters: parameters, error: fullName).encoded(on: interface)
    }
  }
}

/// A secret of a test.
func secret(_ text: String) throws -> SharedSecret {
  SharedSecret(try SecretBytes(copying: Array(text.utf8)))
}

func split(_ method: String) throws -> (VarlinkInterface, String) {
  for interface in VarlinkMethods.interfaces where method.hasPrefix(interface.name + ".") {
    return (interface, String(method.dropFirst(interface.name.count + 1)))
  }
  throw MessageError.badValue("method")
}

/// A call of a method.
func call<Method: AskingMethod>(_ content: Method) throws -> Sample {
  var content = content
  content.ask = true
  return try sample(content)
}

/// A call of a method.
func call<Method: VarlinkMethod>(_ content: Method) throws -> Sample { try sample(content) }

private func sample<Method: VarlinkMethod>(_ content: Method) throws -> Sample {
  let (interface, name) = try split(Method.method)
  return Sample(
    interface: interface,
    direction: .call,
    name: name,
    isVariant: false,
    parameters: try content.encoded,
    again: { try Method(decoding: $0).encoded }
  )
}

/// A reply to a method.
func reply<Method: VarlinkMethod>(
  to: Method.Type,
  _ content: Method.Reply,
  isVariant: Bool = false
) throws -> Sample {
  let (interface, name) = try split(Method.method)
  return Sample(
    interface: interface,
    direction: .reply,
    name: name,
    isVariant: isVariant,
    parameters: try content.encoded,
    again: { try Method.Reply(decoding: $0).encoded }
  )
}

let account = VaultAccount(
  name: "me",
  provider: "dev",
  kind: "password-backend",
  issuer: "http://localhost:8000",
  subject: "17",
  email: "ann@example.org",
  displayName: "Ann \"é\" 😀",
  role: "admin",
  emailVerified: true,
  createdAt: 1_600_000_000,
  claims: ["team": "x", "tags": ["a", 1, nil]],
  presenceProtection: true,
  state: .loginRequired,
  cause: "refused\n",
  accessTokenExpiresAt: 1_800_000_000,
  refreshedAt: 1_700_000_000,
  isDefault: false,
  exportable: true,
  scope: "read write",
  missingScope: "write",
  replacedRevoked: false,
  replacedReason: "the provider answered 401"
)
private let provider = VaultProvider(
  name: "dev",
  settings: ["issuer": "http://localhost:8000", "kind": "password-backend", "ca": "-----\n"]
)
private func confidential() throws -> VaultProvider {
  VaultProvider(
    name: "idp",
    settings: ["client_id": "c", "issuer": "https://id.example.org", "kind": "oidc"],
    clientSecret: try secret("hunter2 \"\\")
  )
}
/// Every message, with every optional member.
///
/// Empty if one could not be made, which a test checks.
let samples: [Sample] =
  (try? accountSamples() + presenceSamples() + helperSamples() + keySamples()
    + loginSamples(account, provider)) ?? []

private func accountSamples() throws -> [Sample] {
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
        fingerReason: "r"
      )
    ),
    try call(GetAccountCall(account: "me")),
    try reply(to: GetAccountCall.self, GetAccountReply(account: account)),
    try call(GetReaderCall()),
    try reply(to: GetReaderCall.self, GetReaderReply(reader: reader)),
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
      AccessTokenCall(
        account: "me",
        minimumLifetime: 10,
        rejected: "ey.J.x",
        prompt: "p1",
        scope: "read write",
        audience: "https://api.example.org",
        ask: false,
        narrow: true,
        remember: true
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
    try call(AuditCall(account: "me", since: -1)),
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
        problem: "altered"
      )
    ),
    try call(RenameAccountCall(account: "me", name: "work", prompt: "p1")),
    try reply(to: RenameAccountCall.self, AccountReply(account: account)),
    try call(SetDefaultAccountCall(account: "me", prompt: "p1")),
    try reply(to: SetDefaultAccountCall.self, AccountReply(account: account)),
    try call(RemoveAccountCall(account: "me", local: true, prompt: "p1")),
    try reply(
      to: RemoveAccountCall.self,
      LogoutReply(revoked: false, reason: "offline", offline: true, grant: .unknown)
    ),
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
        connectTimeout: 10
      )
    ),
    try call(ExamineCall()),
    try reply(
      to: ExamineCall.self,
      ExamineReply(name: "slots", level: .warning, message: "m", remedy: "r")
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
