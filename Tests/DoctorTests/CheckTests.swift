import Glibc
import System
import TestSupport
import Testing
import VaultClient

@testable import Doctor

/// The checks of the things that a caller can see, each with a fault of its own.
struct CheckTests {
  private static func caller(
    _ variables: [String: String],
    hasTerminal: Bool = false,
    mask: UInt32? = 0o022,
    descriptorLimit: Int? = 1024,
    now: Int64 = 1_763_717_400
  ) -> Caller {
    Caller(
      environment: { variables[$0] },
      variables: variables.keys.sorted(),
      hasTerminal: hasTerminal,
      mask: mask,
      descriptorLimit: descriptorLimit,
      now: now
    )
  }

  private static let fine = ["LANG": "C.UTF-8", "TERM": "xterm"]

  @Test
  func anOrdinaryEnvironmentHasNoFault() {
    let findings = EnvironmentChecks(Self.caller(Self.fine, hasTerminal: true)).run()
    #expect(findings.allSatisfy { $0.severity == .ok && $0.remedy == nil }, "\(findings)")
  }

  @Test(arguments: [
    ("proxy", ["https_proxy": "http://evil.example"], "--proxy"),
    ("certificates", ["SSL_CERT_FILE": "/tmp/x.pem"], "--ca"),
    ("environment", ["THUMBLATCH_STATEDIR": "/x"], "THUMBLATCH_STATE_DIR"),
    ("environment", ["THUMBLATCH_SOCKET": "/x"], "unset THUMBLATCH_SOCKET"),
    ("locale", ["LC_ALL": "C"], "UTF-8"), ("terminal", ["TERM": "dumb"], "TERM"),
  ])
  func aVariableThatMisleadsIsNamed(_ name: String, _ more: [String: String], _ remedy: String) {
    let variables = Self.fine.merging(more) { $1 }
    let findings = EnvironmentChecks(Self.caller(variables, hasTerminal: true)).run()
    let bad = findings.filter { $0.severity != .ok }
    #expect(bad.map(\.name) == [name] && bad[0].severity == .warning)
    #expect(bad.first?.remedy?.contains(remedy) == true, "\(bad)")
  }

  @Test
  func aMissingLibraryForSecurityKeysIsNamed() {
    let found = EnvironmentChecks(Self.caller(Self.fine)).run().filter { $0.name == "libfido2" }
    // The tests of this machine need it.
    #expect(found.map(\.severity) == [.ok])
    let missing = EnvironmentChecks.libfido2(isInstalled: false)
    #expect(missing.severity == .warning && missing.remedy?.contains("libfido2-1") == true)
  }

  @Test
  func limitsUmaskAndClockAreChecked() {
    func bad(_ caller: Caller) -> [String] {
      EnvironmentChecks(caller).run().filter { $0.severity != .ok }
        .map { "\($0.name) \($0.severity)" }
    }
    #expect(bad(Self.caller(Self.fine, mask: 0o777)) == ["umask warning"])
    let open = EnvironmentChecks(Self.caller(Self.fine, mask: 0)).run()
    #expect(open.first { $0.name == "umask" }?.message == "000")
    #expect(bad(Self.caller(Self.fine, descriptorLimit: 64)) == ["open-files warning"])
    #expect(bad(Self.caller(Self.fine, now: 0)) == ["clock problem"])
    #expect(bad(Self.caller(Self.fine, mask: nil, descriptorLimit: nil)).isEmpty)
  }

  private static func severities(_ findings: [Finding]) -> [Finding.Severity] {
    findings.map(\.severity)
  }

  @Test
  func aProviderInPlainTextIsAWarningAndABadFileAProblem() throws {
    let scratch = try ScratchDirectory()
    let files = try Directory.make(path: scratch.path + "/thumblatch/providers.d")
    func run() -> [Finding] {
      ProviderChecks.run(system: scratch.path + "/none") {
        $0 == "XDG_CONFIG_HOME" ? scratch.path : nil
      }
    }
    #expect(run().map(\.message) == ["all are readable (0)"])
    let plain = "[Provider]\nkind = password-backend\nissuer = http://localhost:8000\n"
    try files.create("dev.conf").write(plain)
    #expect(Self.severities(run()) == [.warning])
    #expect(run()[0].message.contains("dev is insecure"))
    try files.create("bad.conf").write("[Provider]\nkind = nonsense\n")
    #expect(Self.severities(run()).contains(.problem))
    #expect(Self.severities(ProviderChecks.run { _ in nil }) == [.problem])
  }

  @Test
  func theDirectoryOfTheMachinesProvidersStaysReadable() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path + "/machine"
    _ = try Directory.make(path: path)
    #expect(unsafe chmod(path, 0o775) == 0)
    let found = ProviderChecks.run(system: path) {
      $0 == "XDG_CONFIG_HOME" ? scratch.path : nil
    }
    #expect(found.first?.remedy?.hasSuffix("chmod go-w \(path)") == true, "\(found)")
    #expect(found.first?.action == nil)
  }

  @Test
  func aStackWithoutAPasswordIsAProblem() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path + "/stack"
    func check(_ text: String) throws -> Finding {
      let directory = try scratch.open()
      _ = try directory.unlink("stack")
      try directory.create("stack").write(text)
      return PasswordStackChecks.check(path)
    }
    #expect(try check("auth required pam_unix.so\n").severity == .ok)
    #expect(try check("# auth\naccount required pam_unix.so\n").severity == .problem)
    let reader = try check("auth sufficient pam_fprintd.so\nauth required pam_unix.so\n")
    #expect(reader.remedy?.contains("pam_fprintd") == true)
    #expect(unsafe chmod(path, 0o666) == 0)
    #expect(PasswordStackChecks.check(path).remedy?.contains("chmod go-w") == true)
    #expect(PasswordStackChecks.check(path + "/none").severity == .problem)
    #expect(PasswordStackChecks.check(nil).severity == .problem)
  }

  @Test
  func aProgramThatIsMissingOrWritableByOthersIsAProblem() {
    let flaws: [InstalledProgram.Flaw] = [
      .missing(name: "thumblatchd", directories: ["/usr/libexec/thumblatch"]),
      .unsafe(path: "/opt/thumblatchd", reason: "others may write to it"),
    ]
    for flaw in flaws {
      #expect(ProgramChecks.finding(.failure(flaw))?.severity == .problem)
    }
  }

  @Test
  func aSocketOfAnotherKindIsAProblem() throws {
    let scratch = try ScratchDirectory()
    try scratch.open().create("file").write("x")
    #expect(Self.severities(ServiceChecks.run(path: scratch.path + "/file")) == [.problem])
  }

  @Test
  func anEngineThatIsNotReachedIsAFindingAndCtrlCIsNone() throws {
    func findings(_ error: VaultClientError) throws -> [Finding] {
      let calls = VaultCalls(interrupt: nil) { () throws(VaultClientError) in throw error }
      return try Examination(of: nil).ofEngine(calls)
    }
    let missing = try findings(.engineMissing(places: ["/x"]))
    #expect(missing.map(\.name) == ["engine"] && missing[0].severity == .problem)
    #expect(throws: VaultClientError.self) { try findings(.interrupted) }
  }
}
