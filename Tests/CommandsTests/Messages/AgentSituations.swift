import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// The agent, and programs whose prompts it shows.
extension Situation {
  private static func acceptSocket(_ stage: Stage) throws {
    _ = try stage.expect(RestrictCall.self)
    try stage.reply(EmptyReply())
    _ = try stage.expect(GetAccountCall.self)
    try stage.reply(GetAccountReply(account: protected))
  }

  /// A program without a terminal, whose prompt an agent shows.
  static let desktop: [Situation] = [
    Situation("agent", "a private vault").with { $0.location = .privateVault },
    Situation("agent --name build", "options without a socket").with { $0.location = .service },
    Situation("agent --socket /s", "a socket without accounts").with { $0.location = .service },
    Situation(
      "agent --socket s --name build --account work",
      "a path that is relative",
      script: acceptSocket
    )
    .with { $0.location = .service },
    Situation(
      "agent --socket /none/s --name build --account work",
      "no such directory",
      script: acceptSocket
    )
    .with { $0.location = .service },
    Situation("token work --reason deploy", "behind a restricted socket") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(requester: #"restricted socket "build""#, atDesk: true)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.reply(EmptyReply())
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(
        .refused(message: #"the restricted socket "build" does not allow this account"#)
      )
    }.withoutTerminal.with { $0.location = .socket(path: "/s") },
    Situation("presence test", "a reason that is stated") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, statedReason: "deploy the site")
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    },
    Situation("presence test", "the finger matches at the desktop") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.reply(EmptyReply())
      _ = try stage.expect(TestPresenceCall.self)
      try stage.reply(TestPresenceReply(method: "fingerprint"))
    }.withoutTerminal.with { $0.location = .service },
    Situation("presence test", "no agent shows it") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.fail(.noDesktop(message: "no agent runs in your session (thumblatch agent)"))
    }.withoutTerminal.with { $0.location = .service },
    Situation("presence test", "the person denies at the desktop") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    }.withoutTerminal.with { $0.location = .service },
  ]
}
