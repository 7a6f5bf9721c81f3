import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

@Suite
struct PolicyVerbTests {
  private static let rules = [
    VaultRule(key: "remote", machine: "password", own: "deny", holds: "deny", forUsers: true),
    VaultRule(key: "window", machine: "3", own: "5", holds: "3", forUsers: true),
    VaultRule(key: "window-limit", machine: "12", holds: "12", forUsers: true),
    VaultRule(key: "accounts", machine: "1000", holds: "1000", forUsers: false),
    VaultRule(key: "store", machine: "64", forUsers: false),
    VaultRule(key: "night", machine: "deny", holds: "deny", forUsers: false),
  ]

  private func show(_ words: [String], file: String?) throws -> Play {
    try Play.run(["policy"] + words, columns: 100) { stage in
      _ = try stage.expect(GetPolicyCall.self)
      try stage.reply(GetPolicyReply(file: file, rules: Self.rules))
    }
  }

  @Test
  func eachRuleIsShownWithWhatTheMachineAndTheUserSayAndWhatHolds() throws {
    let text = try show([], file: "/etc/thumblatch/thumblatch.conf")
    #expect(text.code == .done)
    #expect(
      text.out == """
        rule          machine   your setting              in effect
        remote        password  deny                      deny
        window        3 min     5 min                     3 min
        window-limit  12 h      -                         12 h
        accounts      1000      set by the administrator  1000
        store         64 MiB    set by the administrator  no effect here
        night         deny      set by the administrator  deny

        machine:  /etc/thumblatch/thumblatch.conf

        """
    )
    let own = try show(["window"], file: nil)
    #expect(
      own.out == "rule    default  your setting  in effect\nwindow  3 min    5 min         3 min\n"
    )
    let json = try show(["window", "--json"], file: nil)
    #expect(
      json.out
        == #"{"file":null,"rules":[{"key":"window","machine":3,"own":5,"holds":3,"for_users":true,"#
        + #""location":null}]}"# + "\n"
    )
    let unknown = try show(["windows"], file: nil)
    #expect(unknown.code == .usage && unknown.talk.contains("window, window-limit"))
  }

  private func set(_ words: [String], _ value: String?, changed: Bool = true) throws -> Play {
    try Play.run(["policy"] + words, columns: 120) { stage in
      let first = try stage.expect(SetPolicyCall.self)
      guard first == SetPolicyCall(key: "window", value: value) else {
        return try stage.fail(.internal(message: "another call"))
      }
      if changed {
        try stage.needPresence(
          .policy,
          methods: [.password],
          detail: "window: the default 10 min → 5 min"
        )
        _ = try stage.expect(CheckCall.self)
        try stage.terminal.waitFor(
          "Type the system password to change the policy (window: the default 10 min → 5 min)"
        )
        try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
        try stage.terminal.waitFor("Password: ")
        try stage.terminal.type("hunter2\n")
        _ = try stage.expect(RespondCall.self)
        try stage.reply(CheckEvent.passed)
        guard try stage.expect(SetPolicyCall.self).prompt == "p1" else {
          return try stage.fail(.internal(message: "no prompt"))
        }
      }
      let rule = VaultRule(
        key: "window",
        machine: "10",
        own: value,
        holds: value ?? "10",
        forUsers: true
      )
      try stage.reply(SetPolicyReply(changed: changed, rules: [rule]))
    }
  }

  @Test
  func aRuleIsSetAfterTheQuestionThatShowsOldAndNew() throws {
    let text = try set(["window", "5m"], "5")
    #expect(text.code == .done)
    #expect((text.talk + text.screen).contains("window is 5 min now (your own rule)"))
    #expect(!text.screen.contains("hunter2"))
    let json = try set(["window", "5m", "--json"], "5")
    #expect(
      json.out
        == #"{"changed":true,"rule":{"key":"window","machine":10,"own":5,"holds":5,"for_users":true,"#
        + #""location":null}}"# + "\n"
    )
  }

  @Test(arguments: [
    (["window", "15"], "such as 15m or 1h"), (["window", "90s"], "such as 15m or 1h"),
    (["window-limit", "8"], "such as 2h or 12h"), (["window-limit", "90m"], "such as 2h or 12h"),
    (["window", "5 m"], "such as 15m or 1h"),
  ])
  func aLengthOfTimeNeedsAUnitThatTheRuleCanHold(_ words: [String], _ hint: String) throws {
    let play = try Play.run(["policy"] + words) { stage in try stage.expectEnd() }
    #expect(play.code == .usage)
    #expect(play.error?.hint == hint)
    #expect(play.talk.contains("\"\(words[1])\""))
  }

  @Test(arguments: [("window", "1h", "60"), ("window", "2m", "2"), ("window-limit", "8h", "8")])
  func aLengthOfTimeGoesToTheEngineInTheUnitOfItsRule(
    _ rule: String,
    _ typed: String,
    _ sent: String
  ) throws {
    let play = try Play.run(["policy", rule, typed]) { stage in
      #expect(try stage.expect(SetPolicyCall.self) == SetPolicyCall(key: rule, value: sent))
      try stage.fail(.refused(message: "too lax"))
    }
    #expect(play.code == .refused)
  }

  @Test
  func theWordDefaultGivesARuleUpAndNothingIsSaidToChangeThatDoesNot() throws {
    let gone = try set(["window", "default"], nil)
    #expect((gone.talk + gone.screen).contains("your own rule is removed"))
    let same = try set(["window", "5m"], "5", changed: false)
    #expect(same.talk.contains("no change: window is 5 min"))
  }

  @Test
  func aRefusalIsToldAndAPromptThatCannotBeIsNamed() throws {
    let refused = try Play.run(["policy", "window", "20m"]) { stage in
      _ = try stage.expect(SetPolicyCall.self)
      try stage.fail(.refused(message: "window = 20 is laxer"))
    }
    #expect(refused.code == .refused && refused.talk.contains("window = 20 is laxer"))
    let silent = try Play.run(["policy", "window", "5m", "--no-input"]) { stage in
      _ = try stage.expect(SetPolicyCall.self)
      try stage.needPresence(.policy, methods: [.password], detail: "window: 10 min → 5 min")
    }
    #expect(silent.code == .promptNeeded)
    #expect(silent.talk.contains("change the policy (window: 10 min → 5 min)"))
  }
}
