import DesktopPrompt
import HelperInterface
import JSON
import PresenceTerms
import TestSupport
import Varlink
import VaultInterface

@testable import Commands

// Tokens, and requests with them.
extension Situation {
  private static func token(
    _ change: (inout AccessTokenReply) -> Void = { _ in }
  ) -> AccessTokenReply {
    var reply = AccessTokenReply(
      account: "work",
      accessToken: "at_1",
      tokenType: "Bearer",
      shorterThanRequested: false
    )
    change(&reply)
    return reply
  }

  private static let narrowing = VaultError.refused(
    message: "a token of work for fewer scopes may narrow its login at gitlab",
    narrows: true
  )

  /// A check is needed, and neither a terminal nor the desktop can show it.
  private static func withoutDesktop(_ what: String, _ error: DesktopError) -> Situation {
    Situation("token work", "no terminal, and \(what)") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      try stage.expectEnd()
    }.withoutTerminal(error)
  }

  static let tokens: [Situation] = [
    Situation("token work", "a valid token", AccessTokenCall.self, replies: token()),
    Situation(
      "token work --min-ttl 1h",
      "a short life, and a scope that is missing",
      AccessTokenCall.self,
      replies: token {
        $0.shorterThanRequested = true
        $0.missingScope = "mail"
      }
    ),
    Situation("token work", "the provider takes long") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.terminal.waitFor("waiting for the provider")
      try stage.reply(token())
    },
    Situation("token work", "a token that cannot be shown") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token { $0.accessToken = "a b" })
      try stage.knowAccount(account())
    },
    Situation("token work", "the finger matches") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try touch(stage, .refresh)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token())
    },
    Situation("token work", "another prompt is open first, and the password is wrong") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password], reason: "too many fingers failed")
      _ = try stage.call(CheckCall.self)
      try stage.reply(CheckEvent.queued, continues: true)
      try stage.reply(CheckEvent.free)
      _ = try stage.call(CheckCall.self)
      try stage.reply(CheckEvent.waiting(seconds: 2), continues: true)
      try stage.reply(CheckEvent.ask(text: "System password for ada: ", hidden: true))
      try stage.answer("System password for ada: ", "wrong")
      _ = try stage.call(RespondCall.self)
      try stage.reply(CheckEvent.waiting(seconds: 4), continues: true)
      try stage.fail(.presenceFailed(.noMatch, message: "", methods: [.password]))
      _ = try stage.call(CheckCall.self)
      try stage.fail(.presenceFailed(.timedOut, message: "", methods: []))
    },
    Situation("token work", "no terminal") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(reason: "too many fingers failed")
      try stage.expectEnd()
    }.withoutTerminal,
    withoutDesktop("a session over ssh", .notAtDesk(reason: "SSH_CONNECTION is set")),
    withoutDesktop("a locked screen", .notAtDesk(reason: "its screen is locked")),
    withoutDesktop("no server", .noServer(reason: "the bus has disconnected")),
    withoutDesktop("a server that shows nothing", .notShown),
    withoutDesktop("no pinentry", .noPinentry),
    withoutDesktop("a question longer than a window", .tooLong),
    Situation("token work --no-input", "a check is needed") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      try stage.expectEnd()
    },
    Situation("token work --scope read", "it may narrow the login, and the answer is yes") {
      stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(narrowing)
      try stage.answer("[y/N]", "y")
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token())
    },
    Situation("token work --scope read", "it may narrow the login, and the answer is no") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(narrowing)
      try stage.answer("[y/N]", "n")
      try stage.expectEnd()
    },
    Situation("token work --scope read", "it may narrow the login, and no terminal") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(narrowing)
      try stage.expectEnd()
    }.withoutTerminal,
    Situation("token work --min-ttl 60", "no unit"),
    Situation(
      "token --json",
      "an error as JSON",
      AccessTokenCall.self,
      fails: .busy(
        message: "too many prompts were opened without a passed check; cancelled prompts count",
        retryAfter: 15
      )
    ),
    Situation(
      "whoami work",
      "a profile",
      WhoAmICall.self,
      replies: WhoAmIReply(
        account: account(),
        profile: ["name": "Ada", "id": 17, "roles": ["a", "b"], "admin": false, "none": nil]
      )
    ),
    Situation(
      "whoami work --verify",
      "accepted",
      VerifyTokenCall.self,
      replies: VerifyTokenReply(
        account: account(),
        accepted: true,
        expiresAt: 1_763_717_400
      )
    ),
    Situation(
      "whoami work --verify",
      "not accepted",
      VerifyTokenCall.self,
      replies: VerifyTokenReply(
        account: account(),
        accepted: false
      )
    ),
  ]

  /// A token in the form that another program reads.
  static let deliveries: [Situation] = [
    Situation("env work", "a token", AccessTokenCall.self, replies: token()),
    Situation("env work --shell fish", "a token", AccessTokenCall.self, replies: token()),
    Situation("env work --shell csh --name T", "a token", AccessTokenCall.self, replies: token()),
    Situation("env work --shell ksh", "another shell"),
    Situation("env work --name 1A", "no name"),
    Situation("env work --name LD_PRELOAD", "a name that the loader obeys"),
    Situation("headers work", "a token", AccessTokenCall.self, replies: token()),
    Situation(
      "headers work",
      "a login is required",
      AccessTokenCall.self,
      fails: .loginRequired(account: "work", message: "")
    ),
    Situation("exec work -- true", "a token", AccessTokenCall.self, replies: token()),
    Situation("exec work true", "no dashes"),
    Situation("exec work", "no command"),
    Situation("exec work -x -- true", "an unknown option"),
    Situation("exec work -- no-such-program", "a command that is not in PATH"),
    Situation("exec work -- /etc/passwd", "a file that is no program"),
    Situation("exec work --fd 1 -- true", "standard output"),
    Situation("exec work --fd 3 --name T -- true", "two ways"),
    Situation("exec work --no-input -- true", "a check is needed") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      try stage.expectEnd()
    },
  ]

  private static let terms = RequestTermsReply(
    account: "work",
    issuer: "https://id.example.com",
    hosts: [],
    pins: []
  )

  static let requests: [Situation] = [
    Situation("request work", "only an account"), Situation("request example.org/x", "no scheme"),
    Situation("request http://example.org/", "plain http"),
    Situation("request https://id.example.com -X get", "a method in small letters"),
    Situation("request https://id.example.com -X HEAD -d x", "a body with HEAD"),
    Situation("request https://id.example.com -H frob", "a header without a colon"),
    Situation("request https://id.example.com -H a~b:c", "a header's name with a space"),
    Situation("request https://id.example.com -H a:\u{7}", "a control character"),
    Situation("request https://id.example.com -H Host:x", "a header that is not the caller's"),
    Situation(
      "request https://id.example.com -H a:\(String(repeating: "x", count: 17_000))",
      "a long header"
    ),
    Situation("request https://example.com/", "a host that gets no token") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.reply(terms)
      try stage.knowAccount(account())
    },
    Situation("request https://example.com/", "a host that gets no secret") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.reply(terms)
      try stage.knowAccount(account { $0.kind = StoreVerb.kind })
    },
    Situation("request https://id.example.com/", "a host that refuses the secret") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.reply(terms)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token())
      try stage.knowAccount(account { $0.kind = StoreVerb.kind })
    }.with {
      $0.web = [
        "https://id.example.com/": WebAnswer(.answered(status: 401, length: 0), "no such token")
      ]
    },
    Situation("request https://id.example.com/", "a token that splits a header") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.reply(terms)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token { $0.accessToken = "a b" })
      try stage.knowAccount(account())
    },
  ]
}
