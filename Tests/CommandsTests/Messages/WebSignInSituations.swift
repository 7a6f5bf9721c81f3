import Glibc
import LoopbackLogin
import PresenceTerms
import System
import TestSupport
import Varlink
import VaultInterface

@testable import Commands

// Logins on a page of the provider: by browser, code and pasted address.
extension Situation {
  private static let page = account {
    $0.provider = "idp"
    $0.kind = "oidc"
    $0.state = .signedOut
  }
  private static let url = "https://id.example.com/authorize?client_id=cli&state=s"

  private static func web(
    _ options: String,
    _ what: String,
    _ settings: [String: String] = [:],
    account: VaultAccount = page,
    environment: [String: String] = ["BROWSER": "/nowhere"],
    _ rest: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("login work\(options)", what) { stage in
      try stage.knowAccount(account)
      _ = try stage.expect(AccountProviderCall.self)
      let all = ["kind": "oidc", "issuer": "https://id.example.com", "client_id": "cli"]
      let provider = VaultProvider(name: "idp", settings: all.merging(settings) { $1 })
      try stage.reply(AccountProviderReply(account: "work", provider: provider))
      try rest(stage)
    }.with(environment: environment)
  }

  private static func begin(
    _ stage: Stage,
    _ change: (inout BeginLoginReply) -> Void = { _ in }
  ) throws -> BeginLoginCall {
    let call = try stage.expect(BeginLoginCall.self)
    var reply =
      call.flow == .browser
      ? BeginLoginReply(login: "l1", url: url, expiresIn: 300)
      : BeginLoginReply(
        login: "l1",
        userCode: "WDJB-MJHT",
        verificationURI: "https://id.example.com/device",
        verificationURIComplete: "https://id.example.com/device?user_code=WDJB-MJHT",
        expiresIn: 300,
        interval: 5
      )
    change(&reply)
    try stage.reply(reply)
    return call
  }

  /// Waits for the provider's answer to a code.
  private static func awaitCode(_ stage: Stage, _ answer: (Stage) throws -> Void) throws {
    _ = try stage.call(AwaitLoginCall.self)
    try answer(stage)
  }

  /// A code on a terminal that shows pictures.
  private static func pictured(_ what: String, whole: Bool) -> Situation {
    web(" --device", what, environment: ["LANG": "C.UTF-8", "TERM": "xterm"]) { stage in
      _ = try begin(stage) { if !whole { $0.verificationURIComplete = nil } }
      try awaitCode(stage) { try $0.reply(AwaitLoginReply(event: .done, account: account())) }
    }.with { $0.kind = "xterm" }
  }

  static let webSignIns: [Situation] = [
    pictured("by a code with a picture", whole: true),
    pictured("by a code with a picture of the page", whole: false),
    web(" --device", "by a code") { stage in
      _ = try begin(stage)
      try awaitCode(stage) {
        try $0.reply(AwaitLoginReply(event: .waiting, interval: 5), continues: true)
        try $0.reply(AwaitLoginReply(event: .waiting, interval: 10), continues: true)
        try $0.reply(AwaitLoginReply(event: .done, account: account()))
      }
    },
    web(" --device", "the person declines") { stage in
      _ = try begin(stage)
      try awaitCode(stage) { try $0.fail(.providerRefused(status: 400, message: "access_denied")) }
    },
    web(" --device", "an unknown scope") { stage in
      _ = try begin(stage)
      try awaitCode(stage) {
        try $0.fail(.providerRefused(status: 400, message: "invalid_scope: mail"))
      }
    },
    web(" --device", "the code is not used in time") { stage in
      _ = try begin(stage)
      try awaitCode(stage) { try $0.fail(.loginRequired(account: "work", message: "late")) }
    },
    web(" --device", "a code that cannot be shown") { stage in
      _ = try begin(stage) { $0.userCode = "\u{1B}[2J" }
    },
    web(" --device", "an address that cannot be opened") { stage in
      _ = try begin(stage) { $0.verificationURI = "javascript:alert(1)" }
    },
    web(" --device", "no code for this client") { stage in
      _ = try stage.expect(BeginLoginCall.self)
      try stage.fail(.misconfigured(message: "the token endpoint answered 401; check provider idp"))
    },
    web(" --email ada@example.org", "an e-mail address"), web(" --password", "a password"),
    web(" --no-input --browser", "no input"),
    web(" --browser", "a redirect URI of another machine", ["redirect_uri": "http://example.com"]),
    web(
      " --device",
      "who is signed in",
      account: account {
        $0.provider = "idp"
        $0.kind = "oidc"
      }
    ) {
      _ = try begin($0)
      try awaitCode($0) { try $0.reply(AwaitLoginReply(event: .done, account: account())) }
    },
    web(
      " --device",
      "who is signed in, and the account is protected",
      account: account {
        $0.provider = "idp"
        $0.kind = "oidc"
        $0.presenceProtection = true
      }
    ) { stage in
      _ = try begin(stage)
      try awaitCode(stage) {
        try $0.needPresence(.replace, detail: "ada@example.org → eve@example.org")
        _ = try $0.expect(CheckCall.self)
        try $0.fail(.presenceFailed(.cancelled, message: "", methods: []))
      }
    },
  ]

  /// Sends the request of a returning browser.
  private static func comeBack(
    _ stage: Stage,
    _ call: BeginLoginCall,
    path: String = "/callback",
    host: String = "127.0.0.1",
    state: String = "s"
  ) throws -> Descriptor {
    let redirect = call.redirect ?? ""
    let port = UInt16(redirect.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0
    let peer = try LoopbackSocket.connect(.ipv4, port: port)
    try peer.write("GET \(path)?code=c&state=\(state) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n")
    return peer
  }

  private static func answered(
    _ what: String,
    _ answer: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    web(" --browser", what) { stage in
      let call = try begin(stage)
      let peer = try comeBack(stage, call)
      _ = try stage.expect(FinishLoginCall.self)
      try answer(stage)
      _ = try peer.readAll(limit: 1 << 20)
    }
  }

  /// Another program has the port of the redirect.
  private static func taken(
    _ way: String,
    _ rest: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    Situation("login work --\(way)", "another program has the port") { stage in
      let other = try LoopbackSocket.bind(.ipv4)
      try LoopbackSocket.listen(at: other)
      let uri = "http://127.0.0.1:\(try LoopbackSocket.port(of: other))/callback"
      try stage.knowAccount(page)
      _ = try stage.expect(AccountProviderCall.self)
      let provider = VaultProvider(name: "idp", settings: ["kind": "oidc", "redirect_uri": uri])
      try stage.reply(AccountProviderReply(account: "work", provider: provider))
      try rest(stage)
      withExtendedLifetime(other) {}
    }.with(environment: ["BROWSER": "/nowhere"])
  }

  static let browserSignIns: [Situation] = [
    taken("browser") { try $0.expectEnd() },
    answered("a browser that cannot be started, and one that comes back") {
      try $0.reply(AccountReply(account: account()))
    },
    answered("an answer to another login") { try $0.fail(.invalidArgument(message: wrongState)) },
    answered("Ctrl-C after the browser came back") { try $0.interrupt() },
    web(
      " --browser",
      "a browser that starts, and wrong answers",
      environment: ["BROWSER": "/bin/true"]
    ) { stage in
      let call = try begin(stage)
      for (path, host, state, text) in [
        ("/x", "127.0.0.1", "s", "a path other than"),
        ("/callback", "localhost", "s", "a host other than"),
        ("/callback", "127.0.0.1", "old", "another login"),
      ] {
        _ = try comeBack(stage, call, path: path, host: host, state: state)
          .readAll(limit: 1 << 16)
        try stage.terminal.waitFor(text)
      }
      // The verb reaps the browser. One that is left would stop the exit tests of this process,
      // which wait for any child.
      guard eventually({ !hasChild(named: "true") }) else {
        throw SystemError("wait", code: 110, subject: "true")
      }
      try stage.interrupt()
    },
    web(" --browser", "a browser that ends at once", environment: ["BROWSER": "/bin/false"]) {
      stage in
      _ = try begin(stage)
      try stage.terminal.waitFor("by hand")
      try stage.interrupt()
    },
    web(" --browser", "no browser comes back") { stage in _ = try begin(stage) { $0.expiresIn = 1 }
    },
    web(
      " --browser",
      "no browser comes back to a fixed port",
      ["redirect_uri": "http://127.0.0.1:49153/cb"]
    ) { stage in
      _ = try begin(stage) { $0.expiresIn = 1 }
    },
    web(
      " --browser",
      "no browser comes back from the provider of an MCP server",
      ["resource": "https://mcp.example.com/mcp", "resource_only": "true"]
    ) { stage in
      _ = try begin(stage) { $0.expiresIn = 1 }
    },
  ]

  static let pastedSignIns: [Situation] = [
    taken("paste") { stage in
      _ = try begin(stage)
      try stage.answer("Paste it here", "code=c&state=s")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.reply(AccountReply(account: account()))
    },
    web(" --paste", "another address first") { stage in
      _ = try begin(stage)
      try stage.answer("Paste it here", url)
      try stage.answer("Paste it here", "code=c&state=s")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.reply(AccountReply(account: account()))
    },
    web(" --paste", "nothing is pasted") { stage in
      _ = try begin(stage)
      for _ in 0..<3 { try stage.answer("Paste it here", "") }
      try stage.expectEnd()
    },
    web(" --paste", "more than an address") { stage in
      _ = try begin(stage)
      try stage.terminal.waitFor("Paste it here")
      try stage.terminal.paste(
        [UInt8](repeating: UInt8(ascii: "a"), count: PasteSignIn.maximum + 1) + Array("\n".utf8)
      )
      try stage.expectEnd()
    },
    web(" --paste", "no terminal").withoutTerminal,
  ]

  static let chosenWays: [Situation] = [
    web(
      "",
      "no browser on a screen",
      ["device_authorization_endpoint": "x"],
      environment: [
        "DISPLAY": ":0", "BROWSER": "/nowhere",
      ]
    ) { stage in
      _ = try stage.expect(BeginLoginCall.self)
      try stage.fail(.misconfigured(message: "the token endpoint answered 401; check provider idp"))
      _ = try begin(stage)
      try stage.answer("Paste it here", "code=c&state=s")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.reply(AccountReply(account: account()))
    }
  ]
}

/// Whether this process has a child that it has not waited for (proc_pid_stat(5)).
private func hasChild(named name: String) -> Bool {
  let names = (try? Directory(path: "/proc").names()) ?? []
  return names.contains { process in
    guard Int32(process) != nil,
      let file = try? Directory(path: "/proc/\(process)").openForReading("stat"),
      let bytes = try? file.readAll(limit: 4096)
    else { return false }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return words.count > 3 && words[1] == "(\(name))" && words[3] == "\(getpid())"
  }
}
