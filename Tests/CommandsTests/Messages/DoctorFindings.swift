import Glibc
import System
import TestSupport
import VaultClient
import VaultInterface

@testable import Commands
@testable import Doctor

/// The findings of `doctor` on machines with each fault.
enum DoctorFindings {
  static var entries: [String] {
    get throws {
      let scratch = try ScratchDirectory()
      return
        (try environment() + directories(in: scratch) + providers(in: scratch.path)
        + passwordStacks(in: scratch) + programs(in: scratch) + engine())
        .map { $0.replacing(scratch.path, with: "~") }
    }
  }

  private static func entry(_ name: String, _ findings: [Finding]) -> String {
    let lines = DoctorVerbs.text(findings, columns: nil).split(separator: "\n")
    return (["[\(name)]"] + lines.map { "> \($0)" }).joined(separator: "\n") + "\n"
  }

  private static func environment() -> [String] {
    func caller(
      _ variables: [String: String],
      terminal: Bool,
      _ mask: UInt32,
      _ files: Int,
      _ now: Int64
    )
      -> Caller
    {
      Caller(
        environment: { variables[$0] },
        variables: variables.keys.sorted(),
        hasTerminal: terminal,
        mask: mask,
        descriptorLimit: files,
        now: now
      )
    }
    let fine = caller(["LANG": "C.UTF-8"], terminal: false, 0o022, 1024, 1_763_717_400)
    let bad = caller(
      [
        "https_proxy": "x", "HTTPS_PROXY": "x", "SSL_CERT_FILE": "x", "THUMBLATCH_STATEDIR": "x",
        "THUMBLATCH_SOCKET": "/x", "LC_ALL": "C",
      ],
      terminal: true,
      0o777,
      64,
      0
    )
    // Whether these exist depends on the machine.
    func checks(_ caller: Caller) -> [Finding] {
      EnvironmentChecks(caller).run().filter { !["fprintd", "libfido2"].contains($0.name) }
    }
    return [
      entry("a good environment", checks(fine)), entry("a bad environment", checks(bad)),
      entry(
        "fprintd",
        [(false, false), (true, false), (true, true)].map {
          EnvironmentChecks.fprintd(isInstalled: $0.0, hasBus: $0.1)
        }
      ),
      entry("libfido2", [false, true].map { EnvironmentChecks.libfido2(isInstalled: $0) }),
    ]
  }

  private static func directories(in scratch: ScratchDirectory) throws -> [String] {
    let path = scratch.path
    func check(_ name: String?) -> [Finding] {
      DirectoryChecks { variable in
        variable == "THUMBLATCH_STATE_DIR" ? name.map { path + "/" + $0 } : nil
      }.run().filter { $0.name != "free-space" }
    }
    func made(_ name: String, mode: mode_t, files: mode_t? = nil) throws -> [Finding] {
      let directory = try Directory.make(path: path + "/" + name)
      if let files {
        try directory.create("vault.db").write("x")
        unsafe chmod(path + "/\(name)/vault.db", files)
      }
      unsafe chmod(path + "/" + name, mode)
      return check(name)
    }
    unsafe symlink("/", path + "/link")
    try scratch.open().create("file").write("x")
    _ = try Directory.make(path: path + "/odd/vault.db")
    unsafe chmod(path + "/odd", 0o700)
    let space = { (megabytes: UInt64, files: UInt64?) -> Finding in
      DirectoryChecks.space(bytes: megabytes << 20, files: files, on: "~/state")
    }
    return [
      entry("no home directory", check(nil)), entry("a new vault", check("none")),
      entry("a vault", try made("state", mode: 0o700, files: 0o600)),
      entry("a store that others may read", try made("open-store", mode: 0o700, files: 0o640)),
      entry("a directory in the place of the store", check("odd")),
      entry("a directory that others may enter", try made("open", mode: 0o755)),
      entry("a directory that the user may not enter", try made("closed", mode: 0o300)),
      entry("a link", check("link")), entry("a file", check("file")),
      entry("free space", [space(100, 9), space(5, nil), space(0, nil), space(5, 0)]),
    ]
  }

  private static func providers(in path: String) throws -> [String] {
    func check() -> [Finding] {
      ProviderChecks.run(system: path + "/machine") { $0 == "XDG_CONFIG_HOME" ? path : nil }
    }
    let files = path + "/thumblatch/providers.d"
    var entries = [entry("no provider file", check())]
    let directory = try Directory.make(path: files)
    try directory.create("dev.conf").write(Situation.backendFile)
    try directory.create("bad.conf").write("[Provider]\nkind = nonsense\n")
    _ = try Directory.make(path: files + "/odd.conf")
    unsafe chmod(files, 0o777)
    entries.append(entry("provider files with faults", check()))
    unsafe chmod(files, 0o700)
    let machine = path + "/machine"
    _ = try Directory.make(path: machine)
    unsafe chmod(machine, 0o775)
    entries.append(entry("the machine's providers in a directory of a group", check()))
    return entries + [entry("no home directory", ProviderChecks.run(system: path) { _ in nil })]
  }

  private static func passwordStacks(in scratch: ScratchDirectory) throws -> [String] {
    let path = scratch.path + "/stack"
    func check(_ text: String, mode: mode_t = 0o644) throws -> Finding {
      let directory = try scratch.open()
      _ = try directory.unlink("stack")
      try directory.create("stack").write(text)
      unsafe chmod(path, mode)
      return PasswordStackChecks.check(path)
    }
    return [
      entry(
        "PAM stacks",
        [
          try check("auth required pam_unix.so\n"), try check("account required pam_unix.so\n"),
          try check("auth sufficient pam_fprintd.so\n"),
          try check("auth required pam_unix.so\n", mode: 0o666),
          PasswordStackChecks.check(scratch.path + "/none"), PasswordStackChecks.check(nil),
        ]
      )
    ]
  }

  private static func programs(in scratch: ScratchDirectory) throws -> [String] {
    let directory = try Directory.make(path: scratch.path + "/programs")
    try directory.create("thumblatchd").write("x")
    let found = Result { () throws(InstalledProgram.Flaw) in
      try InstalledProgram("thumblatchd", directories: [scratch.path + "/programs"])
    }
    let flaws: [InstalledProgram.Flaw] = [
      .missing(name: "thumblatch-exchange", directories: ["/usr/libexec/thumblatch", "~/libexec"]),
      .unsafe(path: "/opt/thumblatchd", reason: "others may write to it or to its directory"),
    ]
    return [
      entry(
        "programs",
        ([found] + flaws.map { .failure($0) }).compactMap(ProgramChecks.finding)
          + [ProgramChecks.fine]
      ),
      entry("the socket of the service", ServiceChecks.run(path: scratch.path + "/file")),
    ]
  }

  private static func engine() throws -> [String] {
    func status(_ form: VaultForm, version: String) -> Finding {
      EngineChecks.version(
        VaultStatus(
          form: form,
          version: version,
          process: 42,
          deviceSecret: "file",
          memory: .secret,
          unlocked: false,
          unlockedAccounts: [],
          enrolledFingers: [],
          fingerprintLockedOut: false
        )
      )
    }
    func failing(_ error: VaultClientError) throws -> [Finding] {
      let calls = VaultCalls(interrupt: nil) { () throws(VaultClientError) in throw error }
      return try Examination(of: nil).ofEngine(calls)
    }
    return [
      entry(
        "the engine",
        [
          status(.private, version: thumblatchVersion), status(.private, version: "0.0.9"),
          status(.service, version: "0.0.9"),
        ]
      ),
      entry(
        "no engine",
        try failing(.engineMissing(places: ["/usr/libexec/thumblatch"]))
          + failing(.refused(.vaultUnsafe(message: "vault.db is damaged", hint: nil)))
          + failing(
            .refused(.machineKeyNeeded(message: "the vault needs a touch of its security key"))
          )
          + failing(.refused(.noSuchUser(user: "bob")))
      ),
    ].map { $0.replacing(thumblatchVersion, with: "VERSION") }
  }
}
