import Configuration
import PresenceTerms
import TestSupport
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Provider files, and the engine's messages about a provider.
extension Situation {
  static let backendFile = "[Provider]\nkind = password-backend\nissuer = http://localhost:8000\n"
  static let oidcFile =
    "[Provider]\nkind = oidc\nissuer = https://id.example.com\nclient_id = cli\n"

  private static func add(_ options: String, _ what: String) -> Situation {
    Situation("provider add \(options)", what).with(files: [:])
  }

  private static func add(_ options: [(options: String, what: String)]) -> [Situation] {
    options.map { add($0.options, $0.what) }
  }

  static let providers: [Situation] =
    add([
      ("--template", "the templates are listed"),
      ("dev --kind password-backend --issuer http://localhost:8000", "a backend of this machine"),
      ("idp --issuer https://id.example.com --client-id cli", "OpenID Connect"),
      (
        "idp --issuer https://id.example.com --client-id cli --redirect-uri"
          + " http://127.0.0.1:9000/cb", "a redirect URI with a port"
      ),
      ("work --template gitlab --client-id cli", "a template with notes"),
      ("work --template auth0 --domain t.example.com --client-id cli", "a template of a tenant"),
    ]) + [
      Situation("provider add g --template google --client-id cli", "a client secret is typed") {
        try $0.answer("Client secret: ", "hunter2")
        try $0.expectEnd()
      }.with(files: [:]),
      Situation("provider add g --template google --client-id cli", "Ctrl-D at the question") {
        try $0.terminal.waitFor("Client secret: ")
        try $0.terminal.type("\u{4}")
        try $0.expectEnd()
      }.with(files: [:]),
      add("g --template google --client-id cli --no-input", "no input"),
      Situation("provider list", "no provider").with(files: [:]),
      Situation("provider list", "a file that can be read, and one that cannot")
        .with(files: ["dev": backendFile, "bad": "[Provider]\nkind = nonsense\n"]),
      Situation("provider show idp", "all settings").with(files: ["idp": oidcFile]),
      Situation("provider show ipd", "a name that is nearly right").with(files: ["idp": oidcFile]),
      Situation("provider show dev", "no such provider").with(files: ["idp": oidcFile]),
      Situation("provider show ../dev", "a name that is not allowed").with(files: [:]),
      Situation("provider show dev", "no home directory"),
      Situation("provider add idp --issuer https://id.example.com --client-id cli", "it exists")
        .with(files: ["idp": oidcFile]),
      Situation("provider remove dev", "it exists").with(files: ["dev": backendFile]),
      Situation("provider remove dev", "it does not exist").with(files: [:]),
      tested(
        "oidc, with pins, a proxy and endpoints of the file",
        """
        \(oidcFile)userinfo_endpoint = https://id.example.com/me
        proxy = http://proxy.example.com:3128
        pins = sha256//\(String(repeating: "A", count: 43))=

        """,
        seen
      ),
      tested(
        "oidc, with two pins, and nothing is discovered",
        """
        \(oidcFile)pins = sha256//\(String(repeating: "A", count: 43))=;sha256//\
        \(String(repeating: "B", count: 42))8=

        """,
        TestProviderReply(
          issuer: "https://id.example.com",
          discovered: false,
          endpoints: [:],
          flows: [],
          warnings: []
        )
      ),
      tested(
        "oidc without discovery",
        """
        \(oidcFile)discovery = off
        authorization_endpoint = https://id.example.com/authorize
        token_endpoint = https://id.example.com/token
        jwks_uri = https://id.example.com/keys

        """,
        TestProviderReply(
          issuer: "https://id.example.com",
          discovered: false,
          endpoints: ["token_endpoint": "https://id.example.com/token"],
          flows: ["browser"],
          warnings: []
        )
      ),
      tested(
        "a password backend",
        backendFile,
        TestProviderReply(
          issuer: "http://localhost:8000",
          discovered: false,
          endpoints: ["login_path": "http://localhost:8000/auth/login"],
          flows: ["password"],
          warnings: []
        )
      ),
    ]

  private static func tested(
    _ what: String,
    _ file: String,
    _ reply: TestProviderReply
  ) -> Situation {
    Situation("provider test idp", what, TestProviderCall.self, replies: reply)
      .with(files: ["idp": file])
  }

  private static let seen = TestProviderReply(
    issuer: "https://id.example.com",
    discovered: true,
    endpoints: [
      "token_endpoint": "https://id.example.com/token",
      "userinfo_endpoint": "https://id.example.com/me",
    ],
    flows: ["browser", "device"],
    keys: 2,
    warnings: ["has no revocation_endpoint: a logout erases only here"],
    scopes: ["email", "openid"],
    askedScopes: ["openid"]
  )

  static let providerErrors: [Situation] = add([
    ("--client-id cli", "no name"), ("dev --client-id cli", "no issuer"),
    ("dev --issuer https://x.org", "no kind"), ("dev --kind foo", "another kind"),
    ("dev --kind oicd", "a kind that is nearly right"),
    ("dev --template nowhere", "no such template"),
    ("dev --template gitlub", "a template that is nearly right"),
    ("dev --template keycloak --realm main", "two options are missing"),
    ("dev --template gitlab --client-id cli --host https://x.org", "a host with its scheme"),
    ("dev --template keycloak --client-id cli --host x.org --realm a/b", "a realm with a slash"),
    ("dev --template entra --client-id cli --tenant contoso", "the name of a tenant"),
    ("dev --template github --client-id cli --host x", "an option of another template"),
    ("dev --tenant x --client-id cli --issuer https://x.org", "an option of a template"),
    ("dev --template github --client-id cli --issuer https://x.org", "the template has an issuer"),
    ("dev --template gitlab --client-id c --host x --issuer https://x.org", "host and issuer"),
    ("dev --client-id cli --issuer https://x.org --set login_path", "no value"),
    ("dev --client-id cli --issuer https://x.org --set login_path=/x", "a key of another kind"),
    ("dev --client-id cli --issuer https://x.org --set frob=1", "an unknown key"),
    ("dev --client-id cli --issuer https://x.org --set client_secret=hunter2", "a secret"),
    ("dev --client-id cli --issuer https://x.org --set scope=openid --scope a", "a key twice"),
    ("dev --client-id cli --issuer https://x.org --set ca=/x.pem", "certificates as a key"),
    ("dev --client-id cli --issuer http://x.org", "plain http to another machine"),
    ("dev --client-id cli --issuer https://x.org --pin sha256//short", "a pin that is too short"),
    ("dev --client-id cli --issuer https://x.org --ca /nowhere.pem", "no such file"),
    ("dev --kind oidc --issuer https://x.org", "no client id"),
  ])

  private static func bound(_ changes: [String: String] = [:]) throws -> VaultProvider {
    let settings = ["kind": "oidc", "issuer": "https://id.example.com", "client_id": "old"]
    let provider = try Provider(
      name: ProviderName("idp"),
      settings: settings.merging(changes) { $1 }
    )
    return VaultProvider(
      try provider.completed(
        with: [.token: "https://id.example.com/token", .jwks: "https://id.example.com/keys"],
        responseIssuerRequired: true
      )
    )
  }

  static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

  private static let signedIn = account {
    $0.provider = "idp"
    $0.kind = "oidc"
  }

  private static func tell(_ stage: Stage, _ provider: VaultProvider) throws {
    _ = try stage.expect(AccountProviderCall.self)
    try stage.reply(AccountProviderReply(account: "work", provider: provider))
  }

  static let appliedProviders: [Situation] = [
    Situation("provider apply idp", "the client id and the certificates have changed") { stage in
      try stage.knowAccounts([signedIn])
      try tell(stage, try bound(["audience": "x", "ca": certificate]))
      _ = try stage.expect(ApplyProviderCall.self)
      try touch(stage, .applyProvider)
      _ = try stage.expect(ApplyProviderCall.self)
      try stage.reply(AccountReply(account: signedIn))
      try tell(stage, try bound(["client_id": "cli"]))
    },
    Situation("provider apply idp", "nothing has changed") { stage in
      try stage.knowAccounts([signedIn])
      try tell(stage, try bound(["client_id": "cli"]))
      _ = try stage.expect(ApplyProviderCall.self)
      try stage.reply(AccountReply(account: signedIn))
      try tell(stage, try bound(["client_id": "cli"]))
    },
    Situation("provider apply idp", "a change, and no terminal") { stage in
      try stage.knowAccounts([signedIn])
      try tell(stage, try bound())
      try stage.expectEnd()
    }.withoutTerminal,
    Situation("provider apply idp", "no account is signed in there") {
      try $0.knowAccounts([account()])
    },
    Situation("provider apply idp home", "no such account") { try $0.knowAccounts([signedIn]) },
    Situation("provider apply idp work", "the account signs in elsewhere") {
      try $0.knowAccounts([account()])
    },
    Situation("account list", "the provider's file differs") { stage in
      try stage.knowAccounts([signedIn])
      try tell(stage, try bound())
    },
    Situation("status work", "the provider's file differs") { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(
        VaultStatus(
          form: .service,
          version: "0.1.0",
          process: 42,
          deviceSecret: "file",
          memory: .secret,
          unlocked: false,
          unlockedAccounts: [],
          enrolledFingers: [],
          fingerprintLockedOut: false
        )
      )
      _ = try stage.expect(GetReaderCall.self)
      try stage.reply(GetReaderReply(reader: VaultReader(available: true)))
      try stage.knowAccount(signedIn)
      try tell(stage, try bound())
    },
    Situation("provider apply idp", "the engine's settings are of no use") { stage in
      try stage.knowAccounts([signedIn])
      try tell(stage, VaultProvider(name: "idp", settings: ["kind": "oidc"]))
    },
  ].map { $0.with(files: ["idp": oidcFile]) }
}
