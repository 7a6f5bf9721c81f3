import Configuration
import Testing

@Suite
struct UserRulesTests {
  private func policy(_ text: String) throws -> Policy {
    try Policy(bytes: Array("[Policy]\n\(text)".utf8), file: Policy.file)
  }

  private func rules(_ values: [Policy.Key: String]) throws -> UserRules {
    var rules = UserRules()
    for (key, value) in values { rules = try rules.setting(key, to: value) }
    return rules
  }

  @Test
  func ofEachTwoRulesTheStricterHolds() throws {
    let own = try rules([.remote: "deny", .window: "5", .windowLimit: "3"])
    var wanted = Policy()
    wanted.remote = .deny
    wanted.window = 5
    wanted.windowLimit = 3
    #expect(Policy().tightened(by: own) == wanted)
    let strict = try policy("remote = deny\nwindow = 2\nwindow-limit = 1\naccounts = 3\n")
    #expect(strict.tightened(by: own) == strict)
    #expect(strict.tightened(by: try rules([.remote: "password", .window: "60"])) == strict)
    #expect(try policy("window = 60\n").tightened(by: own).window == 5)
    #expect(try policy("window = 60\n").tightened(by: UserRules()).window == 60)
    for (machine, own, wanted) in [
      ("touch", "verify", "verify"), ("verify", "touch", "verify"), ("touch", "touch", "touch"),
    ] {
      let policy = try policy("key = \(machine)\n").tightened(by: try rules([.key: own]))
      #expect(policy.value(of: .key) == wanted)
    }
    // More notices are stricter.
    for (machine, own, wanted) in [
      ("off", "all", "all"), ("release", "off", "release"), ("all", "release", "all"),
    ] {
      let policy = try policy("notify = \(machine)\n").tightened(by: try rules([.notify: own]))
      #expect(policy.value(of: .notify) == wanted)
    }
    for key in Policy.Key.allCases where !key.isForUsers {
      #expect(Policy().tightened(by: own).value(of: key) == Policy().value(of: key))
    }
  }

  @Test
  func whatIsWrittenIsReadAgain() throws {
    let own = try rules([.remote: "deny", .window: "5", .windowLimit: "3"])
    #expect(own.text == "[Policy]\nremote = deny\nwindow = 5\nwindow-limit = 3\n")
    #expect(try UserRules(bytes: Array(own.text.utf8)) == own)
    let fewer = try own.setting(.remote, to: nil).setting(.windowLimit, to: nil)
    #expect(fewer.text == "[Policy]\nwindow = 5\n")
    #expect(try UserRules(bytes: Array(fewer.text.utf8)) == fewer)
    #expect(try fewer.setting(.window, to: nil) == UserRules())
    #expect(UserRules().text == "")
  }

  @Test
  func rulesForCallersAreKeptBesideTheOthers() throws {
    let window = try UserRules().setting(.window, to: "5")
    let keys = ["caller.ci.unit", "caller.ci.rate", "caller.a.b.presence"]
    let values = ["ci-*.service", "5", "each"]
    var rules = window
    for (name, value) in zip(keys, values) {
      let key = try #require(CallerRuleKey(name))
      #expect("\(key)" == name)
      rules = try rules.setting(key, to: value)
      #expect(rules.value(of: key) == value)
    }
    #expect(
      rules.text == """
        [Policy]
        window = 5
        [Caller a.b]
        presence = each
        [Caller ci]
        rate = 5
        unit = ci-*.service

        """
    )
    #expect(try UserRules(bytes: Array(rules.text.utf8)) == rules)
    for name in keys { rules = try rules.setting(try #require(CallerRuleKey(name)), to: nil) }
    #expect(rules == window)
  }

  @Test(arguments: [
    ("caller.ci.rate", "0"), ("caller.ci.rates", "1"), ("caller.Ci.rate", "1"),
    ("caller..rate", "1"), ("caller.ci.unit", "a"), ("caller.ci.accounts", " me"),
    ("caller.ci.accounts", "me\n[Policy]\nwindow = 60"),
    ("caller.ci.audiences", "a\n[Policy]\nwindow = 60"), ("caller.ci.audiences", "a\u{85}b"),
  ])
  func aSettingThatAFileCouldNotHaveIsRefused(_ name: String, _ value: String) throws {
    let key = try #require(CallerRuleKey(name))
    #expect(throws: ConfigurationError.self) { try UserRules().setting(key, to: value) }
  }

  @Test
  func allRulesTogetherCanBeReadAgain() throws {
    var rules = UserRules()
    let word = String(repeating: "x", count: 1000)
    let error = try #require(throws: ConfigurationError.self) {
      for number in 0..<64 {
        let key = CallerRuleKey(rule: "r\(number)", key: "audiences")
        rules = try rules.setting(key, to: word)
        #expect(try UserRules(bytes: Array(rules.text.utf8)) == rules)
      }
    }
    #expect("\(error)".contains("is larger than 16384 bytes"))
    #expect(rules.callers.first?.rule.title == "user's rule \"r0\"")
  }

  @Test(arguments: ["caller", "caller.", "caller.rate", "window", "Caller.ci.rate"])
  func otherNamesAreOfNoRuleForCallers(_ name: String) {
    #expect(CallerRuleKey(name) == nil)
  }

  @Test(arguments: [
    "", "[Policy]\n", "[Policy]\nwindow = 61\n", "[Policy]\nwindow=5\n", "[Policy]\nwindow = 5",
    "[Policy]\nwindow = 5\nremote = deny\n", "[Policy]\n# none\nwindow = 5\n",
    "[Policy]\naccounts = 5\n", "[Policy]\nfuture = 1\nwindow = 5\n", "[Other]\nwindow = 5\n",
  ])
  func whatItHasNotWrittenIsNotRead(_ text: String) {
    #expect(throws: ConfigurationError.self) { try UserRules(bytes: Array(text.utf8)) }
    #expect(throws: ConfigurationError.self) { try UserRules(bytes: [0xFF] + Array(text.utf8)) }
  }

  @Test(arguments: [
    (Policy.Key.window, "0", "window: must be a whole number from 1 to 60, not \"0\""),
    (.window, "5m", "window: must be"), (.windowLimit, "13", "window-limit: must be"),
    (.remote, "never", "remote: must be deny or password, not \"never\""),
    (.accounts, "3", "accounts: unknown key"), (.store, "3", "store: unknown key"),
  ])
  func aValueIsTakenThatAPolicyFileCouldHave(_ key: Policy.Key, _ value: String, _ words: String) {
    #expect { _ = try UserRules().setting(key, to: value) } throws: { error in
      "\(error)".hasPrefix(words)
    }
  }
}
