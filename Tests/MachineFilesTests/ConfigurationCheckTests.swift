import Configuration
import Glibc
import MachineFiles
import System
import TestSupport
import Testing

@Suite
struct ConfigurationCheckTests {
  private static let provider = "[Provider]\nkind = password-backend\nissuer = https://id.example\n"

  @Test
  func aSoundDirectoryHasNoFinding() throws {
    let machine = try MachineScratch()
    try machine.write(
      "thumblatch.conf",
      "[Policy]\nremote = deny\n[Caller ci]\nunit = ci.service\n"
    )
    try machine.write("conf.d/fleet.conf", "[Policy]\nwindow = 5\n")
    try machine.write("providers.d/corp.conf", Self.provider)
    #expect(machine.findings == [])
    #expect(machine.check.dropIns == 1 && machine.check.providers == 1)
  }

  @Test
  func aDirectoryThatIsMissingIsNoError() throws {
    let machine = try MachineScratch()
    let files = MachineDirectory(path: machine.path + "/none", owners: [ThisProcess.user])
    let check = ConfigurationCheck(files)
    #expect(!check.hasErrors)
    #expect(
      check.findings.map(\.description) == [
        "\(machine.path)/none: it does not exist, so the defaults apply"
      ]
    )
  }

  @Test
  func eachErrorIsNamedWithItsFileAndLine() throws {
    let machine = try MachineScratch()
    try machine.write("thumblatch.conf", "[Policy]\nremte = deny\nwindow = 61\n")
    try machine.write("conf.d/a.conf", "[Policy]\nno line\n")
    try machine.write("conf.d/b.conf", "[Policy]\nstore = 0\n", mode: 0o666)
    try machine.write("conf.d/c.conf", "[Caller x]\nunit = a.mount\n")
    try machine.write("providers.d/corp.conf", "[Provider]\nkind = ldap\n")
    try machine.write("providers.d/self.conf", Self.provider + "ca = gone.pem\n")
    #expect(machine.check.hasErrors)
    let findings = machine.findings
    for (start, part) in [
      ("* thumblatch.conf:2: remte: ", "unknown key"), ("* thumblatch.conf:3: window: ", "1 to 60"),
      ("* conf.d/a.conf:2: ", "is neither"), ("* conf.d/b.conf: ", "others may write"),
      ("* conf.d/c.conf:2: unit: ", ".service"), ("* providers.d/corp.conf:2: kind: ", ""),
      ("* providers.d/self.conf:4: ca: ", "there is no such file"),
    ] {
      #expect(
        findings.contains { $0.hasPrefix(start) && $0.contains(part) },
        "\(start) in \(findings)"
      )
    }
    #expect(findings.count == 7)
  }

  @Test
  func theIgnoredIsNamedAndNoError() throws {
    let machine = try MachineScratch()
    try machine.write("thumblatch.conf", "[Policy]\n\nwindow = 5\n")
    try machine.write("conf.d/a.conf", "[Policy]\nwindow = 7\n")
    try machine.write("conf.d/a.conf.dpkg-old", "[Policy]\nwindow = 7\n")
    try machine.write("providers.d/Corp.conf", Self.provider)
    try machine.write("providers.d/corp.pem", "")
    let ending = "ignored: it does not end with .conf, or is hidden"
    #expect(
      machine.findings == [
        "conf.d/a.conf.dpkg-old: \(ending)",
        "thumblatch.conf:3: window: ignored: conf.d/a.conf:2 sets it",
        "providers.d/Corp.conf: ignored: its name is not that of a provider",
      ]
    )
    #expect(!machine.check.hasErrors)
  }

  @Test
  func aRuleThatUsersGetAroundIsNoted() throws {
    let machine = try MachineScratch()
    try machine.write("conf.d/a.conf", "[Policy]\nexportable = never\n")
    #expect(machine.findings.count == 1 && !machine.check.hasErrors)
    #expect(machine.findings[0].hasPrefix("conf.d/a.conf:2: exportable: with providers = any, "))
    try machine.write("conf.d/b.conf", "[Policy]\nproviders = corp\n")
    try machine.write("providers.d/corp.conf", Self.provider)
    #expect(machine.findings == [])
  }

  /// A rule for such a unit may show prompts of programs that its administrator does not mean.
  @Test(arguments: [
    ("cron.service", "user", "cron.service"), ("cron-1.service", "user", "cron-*.service"),
    ("*@tty1.service", "user", "cron-*.service"), ("getty*1.service", "user", "getty@*.service"),
    ("*.service", "user", "cron.service"), ("sshd@7.service", "user", "sshd@*.service"),
    ("postfix@*.service", "user", "postfix@*.service"), ("backup.service", "user", nil),
    ("cronjobs.service", "user", nil), ("atd.service", "off", nil), ("atd.service", nil, nil),
    ("cron-*.scope", "user", nil), ("*@tty1.scope", "user", nil),
  ])
  func aRuleThatShowsPromptsForAUnitOfUsersIsNoted(
    unit: String,
    desktop: String?,
    named: String?
  ) throws {
    let machine = try MachineScratch()
    let rule = "[Caller job]\nunit = \(unit)\n\(desktop.map { "desktop = \($0)\n" } ?? "")"
    try machine.write("conf.d/a.conf", rule)
    let note = named.map {
      "any program of a user gets desktop = user: users can start programs in \($0)"
    }
    #expect(machine.findings == note.map { ["conf.d/a.conf:3: \($0)"] } ?? [])
    #expect(!machine.check.hasErrors)
    let check = ConfigurationCheck(policyFile: Array(rule.utf8), file: "/tmp/x")
    #expect(check.findings.map(\.description) == note.map { ["/tmp/x:3: \($0)"] } ?? [])
    // It loosens nothing if the policy says the same.
    try machine.write("thumblatch.conf", "[Policy]\ndesktop = user\n")
    #expect(machine.findings == [])
  }

  /// The policy of the machine may be stricter than a file that is checked on its own.
  @Test
  func aFileWithoutAPolicyIsNotedForEachValueThatMayLoosen() throws {
    let rule = "[Caller job]\nunit = cron.service\ndesktop = session\n"
    func findings(_ text: String) -> [String] {
      ConfigurationCheck(policyFile: Array(text.utf8), file: "/tmp/x").findings.map(\.description)
    }
    let note =
      "any program of a user gets desktop = session: users can start programs in cron.service"
    #expect(findings(rule) == ["/tmp/x:3: \(note)"])
    #expect(findings(rule + "[Policy]\nwindow = 5\n") == ["/tmp/x:3: \(note)"])
    #expect(findings(rule + "[Policy]\ndesktop = session\n") == [])
    #expect(findings(rule.replacing("session", with: "off")) == [])
    // The files of the machine are known, and have the usual policy.
    let machine = try MachineScratch()
    try machine.write("conf.d/a.conf", rule)
    #expect(machine.findings == [])
  }

  @Test
  func anAllowedProviderWithoutAFileIsNoted() throws {
    let machine = try MachineScratch()
    try machine.write("thumblatch.conf", "[Policy]\nproviders = corp crop\n")
    try machine.write("providers.d/corp.conf", Self.provider)
    #expect(machine.findings.count == 1 && !machine.check.hasErrors)
    #expect(machine.findings[0].hasPrefix("thumblatch.conf:2: providers: no sign-in at crop is"))
    try machine.write("conf.d/a.conf", "[Policy]\nproviders = none\n")
    #expect(
      machine.findings == ["thumblatch.conf:2: providers: ignored: conf.d/a.conf:2 sets it"]
    )
  }

  @Test
  func noFindingHoldsAClientSecret() throws {
    let machine = try MachineScratch()
    let secret = "s3cret-of-the-client"
    let whole = "[Provider]\nkind = oidc\nissuer = https://id.example\nclient_id = a\n"
    for (index, line) in [
      "client_secret = \(secret)\nkind2 = x", "client_secrets = \(secret)", "\(secret)",
      "client_secret = \(secret)\nclient_secret = \(secret)", "client_secret: \(secret)",
      "client_secret = \(secret)\u{1}", "client_secret = \(secret)\u{FF}\nscope = \u{1}",
    ].enumerated() {
      try machine.write("providers.d/p\(index).conf", whole + line + "\n")
    }
    try machine.write("thumblatch.conf", "[Policy]\nclient_secret = \(secret)\n")
    let findings = machine.findings
    #expect(findings.count == 8)
    for finding in findings { #expect(!finding.contains("s3cret"), "\(finding)") }
  }

  @Test
  func theCheckFindsAnErrorWhereverTheServiceDoes() throws {
    for text in [
      "[Policy]\nwindow = 0\n", "[Polic]\n", "x", "[Caller x]\nrate = 0\n", "[Policy]\n",
    ] {
      for name in ["thumblatch.conf", "conf.d/x.conf"] {
        for mode: UInt32 in [0o644, 0o646] {
          let machine = try MachineScratch()
          try machine.write(name, text, mode: mode)
          let service = (try? machine.files.policy()) == nil
          #expect(machine.check.hasErrors == service, "\(name) \(text)")
        }
      }
    }
  }

  @Test
  func oneFileIsCheckedAsAPolicy() {
    let check = ConfigurationCheck(
      policyFile: Array("[Policy]\nwindow = 5\nwindw = 6\n".utf8),
      file: "/tmp/x"
    )
    #expect(check.findings.map(\.description) == ["/tmp/x:3: windw: unknown key"])
    #expect(!ConfigurationCheck(policyFile: [], file: "/tmp/x").hasErrors)
  }
}
