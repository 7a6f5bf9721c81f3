import Configuration
import Testing

private func rules(_ text: String) throws -> [NamedRule] {
  try Policy(bytes: Array(text.utf8), file: Policy.file).callers
}

/// The sections `[Caller NAME]` of a policy file.
struct NamedRuleTests {
  private static let whole = """
    [Caller ci]
    unit = ci-*.service
    accounts = me you
    scopes = write read
    audiences = https://a.example.org
    lifetime = 60
    presence = never-ask
    reason = required
    rate = 30
    desktop = user
    [Policy]
    window = 5
    [Caller boxes]
    sandbox = yes
    """

  @Test
  func eachKeyIsRead() throws {
    let policy = try Policy(bytes: Array(Self.whole.utf8), file: Policy.file)
    #expect(policy.window == 5)
    #expect(policy.callers.map(\.name) == ["ci", "boxes"])
    let ci = try #require(policy.callers.first)
    #expect(ci.match == .unit("ci-*.service"))
    #expect(ci.rule.title == "rule \"ci\"")
    #expect(ci.rule.accounts == ["me", "you"])
    #expect(ci.rule.longestLifetime == 3600)
    var settings = ci.settings
    settings["unit"] = nil
    settings["scopes"] = "read write"
    #expect(ci.rule.settings == settings)
    #expect(policy.callers[1].match == .sandbox)
    #expect(policy.callers[1].rule.settings == ["presence": "window"])
  }

  /// Only a rule for a unit of the system loosens, and only if its value is the wider one.
  @Test
  func aRuleForAUnitLoosensAStricterPolicy() throws {
    let unit = try #require(try rules("[Caller a]\nunit = a.service\ndesktop = session\n").first)
    let stricter = Policy.Desktop.allCases.filter { unit.loosens($0) }
    #expect(stricter == [.off])
    for rule in ["user-unit = a.service\ndesktop = user", "unit = a.service\nrate = 5"] {
      let other = try #require(try rules("[Caller a]\n\(rule)\n").first)
      #expect(Policy.Desktop.allCases.allSatisfy { !other.loosens($0) })
    }
  }

  @Test(arguments: [
    ("[Caller ci]\nunits = a.service\n", "units: unknown key"),
    ("[Caller ci]\nunit = a\n", "unit: must be the name of a unit"),
    ("[Caller ci]\nunit = a*b*.service\n", "unit: must be the name of a unit"),
    ("[Caller ci]\nunit = a/b.service\n", "unit: must be the name of a unit"),
    ("[Caller ci]\nunit = a.service\nsandbox = yes\n", "the only key of unit, user-unit"),
    ("[Caller ci]\nsandbox = no\n", "sandbox: must be yes"),
    ("[Caller ci]\nsocket = A b\n", "is not a socket name"),
    ("[Caller ci]\naccounts = A\n", "is not an account name"),
    ("[Caller ci]\naccounts =\n", "at least one account"),
    ("[Caller ci]\nscopes = a\"b\n", "must be scopes"),
    ("[Caller ci]\naudiences =\n", "must be audiences"),
    ("[Caller ci]\nlifetime = 0\n", "lifetime: must be a whole number from 1 to 10080"),
    ("[Caller ci]\nrate = 3601\n", "rate: must be a whole number from 1 to 3600"),
    ("[Caller ci]\npresence = always\n", "presence: must be window, each or never-ask"),
    ("[Caller ci]\ndesktop = all\n", "desktop: must be off, session or user"),
    ("[Caller ci]\nreason = yes\n", "reason: must be required"),
    ("[Caller Ci]\n", "is not a rule name"),
    ("unit = a.service\n", "a key = value stands before the first [Section]"),
    ("[Caller]\n", "unknown section [Caller]"),
    ("[Caller ci]\n[Caller ci]\n", "section [Caller ci] occurs a second time"),
  ])
  func whatIsWrongIsAnErrorWithFileAndLine(_ text: String, _ words: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try rules(text) }
    #expect("\(error)".hasPrefix("/etc/thumblatch/thumblatch.conf:"))
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test
  func aRuleHoldsForItsCallersOnly() throws {
    let rules = try rules(
      """
      [Caller exact]
      unit = backup.service
      [Caller stars]
      user-unit = app-code*.scope
      [Caller box]
      sandbox = yes
      [Caller build]
      socket = build
      [Caller asked]
      """
    )
    #expect(rules.marksOfProcess == .all)
    let parts = rules.map { [$0].marksOfProcess }
    #expect(parts == [.unit, .unit, .sandbox, [], []])
    func names(_ change: (inout CallerMarks) -> Void) -> [String] {
      var marks = CallerMarks()
      change(&marks)
      return rules.filter { $0.matches(marks) }.map(\.name)
    }
    #expect(names { _ in } == [])
    #expect(names { $0.unit = "backup.service" } == ["exact"])
    #expect(names { $0.unit = "backup.service2" } == [])
    // A unit of a user's own manager may have any name.
    #expect(names { $0.userUnit = "backup.service" } == [])
    #expect(names { $0.unit = "app-code-1.scope" } == [])
    #expect(names { $0.userUnit = "app-code-1.scope" } == ["stars"])
    #expect(names { $0.userUnit = "app-code.scope" } == ["stars"])
    #expect(names { $0.userUnit = "app-cod.scope" } == [])
    #expect(names { $0.isSandboxed = true } == ["box"])
    #expect(names { $0.socket = "build" } == ["build"])
    #expect(names { $0.rule = "asked" } == ["asked"])
    #expect(names { $0.rule = "exact" } == ["exact"])
  }

  @Test
  func onlyTheUnitOfTheSystemLoosens() throws {
    let text = """
      [Policy]
      desktop = session
      [Caller job]
      unit = job.service
      desktop = user
      [Caller app]
      user-unit = app.service
      desktop = user
      [Caller box]
      sandbox = yes
      desktop = off
      """
    let policy = try Policy(bytes: Array(text.utf8), file: Policy.file)
    func desktop(
      _ own: UserRules = UserRules(),
      _ change: (inout CallerMarks) -> Void
    ) -> Policy.Desktop {
      var marks = CallerMarks()
      change(&marks)
      return policy.desktop(for: policy.callers.rule(for: marks), own: own)
    }
    #expect(desktop { _ in } == .session)
    #expect(desktop { $0.unit = "job.service" } == .user)
    // Any program of the user can come under these.
    #expect(desktop { $0.userUnit = "app.service" } == .session)
    #expect(desktop { $0.rule = "job" } == .session)
    let login = desktop {
      $0.unit = "job.service"
      $0.isInUserSlice = true
    }
    #expect(login == .session)
    // A restricted socket has the unit of the agent that opened it.
    let socket = desktop {
      $0.unit = "job.service"
      $0.socket = "tokens"
    }
    #expect(socket == .user)
    let both = desktop {
      $0.unit = "job.service"
      $0.userUnit = "app.service"
    }
    #expect(both == .user)
    let boxed = desktop {
      $0.unit = "job.service"
      $0.isSandboxed = true
    }
    #expect(boxed == .off)
    // The user's own rules tighten in each case, and loosen in none.
    let session = try UserRules().setting(Policy.Key.desktop, to: "session")
    #expect(desktop(session) { $0.unit = "job.service" } == .session)
    let key = try #require(CallerRuleKey("caller.mine.unit"))
    let choice = try #require(CallerRuleKey("caller.mine.desktop"))
    let own = try UserRules().setting(key, to: "other.service").setting(choice, to: "user")
    var marks = CallerMarks()
    marks.unit = "other.service"
    #expect(policy.desktop(for: own.callers.rule(for: marks), own: own) == .session)
  }

  @Test
  func ofTwoRulesTheStricterLimitsHold() throws {
    let rules = try rules(
      """
      [Caller one]
      accounts = a b
      scopes = read
      lifetime = 60
      rate = 10
      presence = each
      [Caller other]
      accounts = b c
      audiences = https://a.example.org
      lifetime = 30
      rate = 20
      reason = required
      """
    )
    var marks = CallerMarks()
    #expect(rules.rule(for: marks) == nil)
    marks.rule = "one"
    #expect(rules.rule(for: marks) == rules[0].rule)
    let both = rules[0].rule.tightened(by: rules[1].rule)
    #expect(both.title == "rule \"one\", rule \"other\"")
    #expect(
      both.settings == [
        "accounts": "b", "scopes": "read", "audiences": "https://a.example.org",
        "lifetime": "30", "rate": "10", "presence": "each", "reason": "required",
      ]
    )
    #expect(rules[1].rule.tightened(by: rules[0].rule).settings == both.settings)
    #expect(both.rates.map(\.number) == [10, 20])
  }

  @Test
  func aRuleThatNeverAsksDoesNotLoosenOneThatAlwaysDoes() throws {
    let rules = try rules("[Caller a]\npresence = each\n[Caller b]\npresence = never-ask\n")
    for both in [
      rules[0].rule.tightened(by: rules[1].rule), rules[1].rule.tightened(by: rules[0].rule),
    ] {
      #expect(both.needsOwnCheck && both.neverAsks)
      #expect(both.settings == ["presence": "each never-ask"])
    }
  }
}
