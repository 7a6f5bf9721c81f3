import HelperInterface
import TestSupport
import Varlink
import VaultInterface

@testable import Commands

// Logins for an MCP server, and hosts that its token is not for.
extension Situation {
  private static let server = "https://mcp.example.com/mcp"
  private static let issuer = "https://id.example.com/t"
  private static let well = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
  private static let root = "https://mcp.example.com/.well-known/oauth-protected-resource"
  private static let register = "https://id.example.com/register"

  private static func answer(
    _ status: Int,
    _ headers: [String] = [],
    location: String? = nil
  ) -> HelperRequestReply {
    .answered(status: status, length: 0, location: location, headers: headers)
  }

  /// The answers of a server and of its authorization server, by URL.
  private static let web: [String: WebAnswer] = [
    server: WebAnswer(answer(401, ["www-authenticate: Bearer scope=\"tools\""])),
    well: WebAnswer(
      answer(200),
      #"{"resource":"\#(server)","authorization_servers":["\#(issuer)"]}"#
    ),
    root: WebAnswer(answer(404)),
    register: WebAnswer(answer(201), #"{"client_id":"c1"}"#),
  ]

  private static let metadata = TestProviderReply(
    issuer: issuer,
    discovered: true,
    endpoints: ["authorization_endpoint": "https://id.example.com/authorize"],
    flows: ["browser"],
    warnings: [],
    scopes: ["tools", "offline_access"],
    pkce: true,
    registration: register
  )

  private static func login(
    _ options: String,
    _ what: String,
    _ changes: [String: WebAnswer] = [:],
    metadata change: ((inout TestProviderReply) -> Void)? = nil,
    isAsked: Bool = true,
    files: [String: String] = [:],
    then rest: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    var reply = metadata
    change?(&reply)
    let answered = reply
    return Situation("login work --mcp \(server)\(options)", what) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "work"))
      if isAsked {
        _ = try stage.expect(TestProviderCall.self)
        try stage.reply(answered)
      }
      try rest(stage)
    }.with {
      $0.web = web.merging(changes) { $1 }
      $0.files = files
      $0.environment = ["BROWSER": "/nowhere"]
    }
  }

  private static func refused(_ what: String, _ url: String, _ answer: WebAnswer) -> Situation {
    login("", what, [url: answer], isAsked: false)
  }

  private static func resource(_ issuers: String) -> WebAnswer {
    WebAnswer(answer(200), #"{"resource":"\#(server)","authorization_servers":[\#(issuers)]}"#)
  }

  private static let whole = WebAnswer(
    answer(200),
    #"{"resource":"https://mcp.example.com/","authorization_servers":["\#(issuer)"]}"#
  )

  private static func begin(_ stage: Stage) throws {
    _ = try stage.expect(BeginLoginCall.self)
    try stage.fail(.misconfigured(message: "the token endpoint answered 401"))
  }

  private static let two = [well: resource(#""\#(issuer)","https://b.example.com""#)]
  private static let known =
    "[Provider]\nkind = oauth2\nissuer = \(issuer)\nclient_id = c0\nscope = tools offline_access\n"
    + "resource = \(server)\nresource_only = true\n"
  private static let moved = known.replacing(issuer, with: "https://old.example.com")

  static let serverLogins: [Situation] = [
    login(" --browser", "a client is registered", then: begin),
    login(" --browser", "a client of an earlier login", files: ["work": known], then: begin),
    login(
      " --browser",
      "another issuer than that of an earlier login",
      isAsked: false,
      files: ["work": moved]
    ) { stage in
      try stage.answer("instead? [y/N] ", "n")
      try stage.expectEnd()
    },
    login(
      " --browser",
      "another issuer, and no terminal",
      isAsked: false,
      files: ["work": moved]
    ).withoutTerminal,
    login(
      " --browser",
      "a token for the whole origin",
      [well: WebAnswer(answer(404)), root: whole],
      then: begin
    ),
    login(" --browser --client-id c2", "a client of the person's own", then: begin),
    login(
      " --browser --client-metadata https://example.org/client",
      "a client metadata document",
      metadata: { $0.clientMetadata = true },
      then: begin
    ),
    login(" --client-metadata https://example.org/client", "no client metadata documents"),
    login(
      " --client-metadata http://example.org",
      "a client metadata document without TLS",
      metadata: { $0.clientMetadata = true }
    ),
    login(" --redirect-uri http://example.org/", "a redirect URI of another machine"),
    login(" --scope a\\b", "a scope with a backslash"),
    login("", "no PKCE", metadata: { $0.pkce = nil }),
    login("", "no registration", metadata: { $0.registration = nil }),
    login(
      "",
      "no registration, but client metadata documents",
      metadata: { ($0.registration, $0.clientMetadata) = (nil, true) }
    ),
    login("", "a registration without TLS", metadata: { $0.registration = "http://127.0.0.1/" }),
    login(
      "",
      "a refused registration",
      [register: WebAnswer(answer(403), #"{"error":"access_denied"}"#)]
    ),
    login(" --browser", "two authorization servers", two).with { $0.script = choosing },
    login(" --issuer https://c.example.com", "another authorization server", two, isAsked: false),
    login("", "two authorization servers, and no terminal", two, isAsked: false).withoutTerminal,
    login("", "the name is that of another provider", isAsked: false, files: ["work": oidcFile]),
    refused("a redirect", server, WebAnswer(answer(307, location: "https://x.example.com/"))),
    refused("no metadata", well, WebAnswer(answer(404))),
    refused("a failing server", well, WebAnswer(answer(503))),
    refused(
      "the metadata of another server",
      well,
      WebAnswer(answer(200), #"{"resource":"https://x.example.com","authorization_servers":["x"]}"#)
    ),
    refused("a tenant that names the whole origin", well, whole),
    refused("an issuer that is no URL", well, resource("\"x\"")),
    refused("an issuer of this machine", well, resource("\"http://127.0.0.1:8000\"")),
    refused("a long document", well, WebAnswer(.lost(.tooLarge))),
    refused("half a document", well, WebAnswer(.lost(.timeout))),
    refused("no network", server, WebAnswer(.notSent(.resolve))),
    login(" --no-input", "no input", isAsked: false),
    Situation("login --mcp \(server)", "no name"),
    Situation("login work --mcp http://mcp.example.com/", "plain http"),
    Situation("login work --mcp \(server) --provider dev", "a provider"),
    Situation("login work --client-id c", "no server"),
  ]

  private static let choosing: @Sendable (Stage) throws -> Void = { stage in
    _ = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: "work"))
    try stage.answer("Number or name: ", "1")
    _ = try stage.expect(TestProviderCall.self)
    try stage.reply(metadata)
    try begin(stage)
  }

  private static let terms = RequestTermsReply(
    account: "work",
    issuer: issuer,
    hosts: [],
    pins: [],
    resource: server
  )

  static let serverTokens: [Situation] = [
    Situation(
      "request https://id.example.com/",
      "a token for one server",
      RequestTermsCall.self,
      replies: terms
    ),
    Situation("headers work", "another server", RequestTermsCall.self, replies: terms)
      .with(environment: [ResourceBinding.variable: "https://x.example.com/mcp"]),
    Situation("request \(server)", "a scope is missing") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.reply(terms)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at_1")
    }.with {
      let challenge = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"admin\""
      $0.web = [server: WebAnswer(answer(403, [challenge]))]
    },
  ]
}
