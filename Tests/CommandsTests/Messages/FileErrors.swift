import Configuration
import Glibc
import System
import TestSupport
import VaultClient

@testable import Commands

/// The errors of directories and files that a command reads or writes, and the texts of settings.
enum FileErrors {
  static var entries: [String] {
    get throws {
      let scratch = try ScratchDirectory()
      let named = { (text: String) in text.replacing(scratch.path, with: "~") }
      return try providers(in: scratch.path + "/p").map(named) + state(in: scratch.path).map(named)
        + [try settings()].flatMap { $0 }
    }
  }

  private static func error(_ name: String, _ body: () throws -> Void) throws -> String {
    do {
      try body()
    } catch let error as CommandError {
      return ListedErrors.entry(name, error)
    } catch let error as VaultClientError {
      return ListedErrors.entry(name, CommandError(error))
    }
    return "[\(name)]\n(nothing)\n"
  }

  /// Provider files of the machine and of the user.
  private static func providers(in path: String) throws -> [String] {
    let machine = try Directory.make(path: path + "/machine")
    try machine.create("dev.conf").write(Situation.backendFile)
    let user = path + "/user/thumblatch/providers.d"
    func files(_ configuration: String = path + "/user") throws -> ProviderFiles {
      try ProviderFiles(system: path + "/machine") { $0 == "XDG_CONFIG_HOME" ? configuration : nil }
    }
    let dev = try ProviderName("dev")
    let new = try Provider(
      name: ProviderName("new"),
      settings: ["kind": "password-backend", "issuer": "http://localhost:8000"]
    )
    return [
      try error("a provider of the machine is removed") { try files().remove(dev) },
      try error("a provider of the machine is added again") { try files().refuseExisting(dev) },
      try error("the user's directory cannot be made") {
        try files(path + "/machine/dev.conf").add(new, certificateFile: nil)
      },
      try error("a directory that others may write to") {
        _ = try Directory.make(path: user)
        unsafe chmod(user, 0o777)
        try files().add(new, certificateFile: nil)
      },
      try error("a directory that another program changes") {
        unsafe chmod(user, 0o700)
        let other = try Directory(path: user)
        _ = try other.descriptor.lockExclusively()
        try UserDirectory(user).lock(for: [], within: 0)
      },
      try error("a directory in the place of a file") {
        unsafe chmod(user, 0o700)
        _ = try Directory.make(path: user + "/new.conf")
        try files().remove(new.name)
      },
      try error("a file that others may write to") {
        try Directory(path: user).create("open.conf").write(Situation.backendFile)
        unsafe chmod(user + "/open.conf", 0o666)
        _ = try files().read(ProviderName("open"))
      },
      try error("a secret that others may read") {
        let text = Situation.oidcFile + "client_secret = hunter2\n"
        try Directory(path: user).create("shown.conf").write(text)
        unsafe chmod(user + "/shown.conf", 0o644)
        _ = try files().read(ProviderName("shown"))
      },
    ]
  }

  /// The state directory.
  private static func state(in path: String) throws -> [String] {
    func open(_ name: String) throws {
      _ = try StateLocation { $0 == "THUMBLATCH_STATE_DIR" ? path + "/" + name : nil }.open()
    }
    return [
      try error("the state directory is a link") {
        unsafe symlink("/", path + "/link")
        try open("link")
      },
      try error("the state directory is open to others") {
        _ = try Directory.make(path: path + "/state")
        unsafe chmod(path + "/state", 0o755)
        try open("state")
      },
    ]
  }

  private static func settings() throws -> [String] {
    let provider = try Provider(
      name: ProviderName("idp"),
      settings: [
        "kind": "oidc", "issuer": "https://id.example.com", "client_id": "cli",
        "ca": Situation.certificate,
      ]
    )
    let changes = [
      ProviderText.Change(key: "scope", old: "openid", new: nil),
      ProviderText.Change(key: "scope", old: String(repeating: "a", count: 1000), new: "openid"),
    ].flatMap(\.lines).map { $0.replacing(/a{100,}/, with: "a...") }
    return [
      ListedErrors.entry("a provider with certificates", ProviderText.trust(provider)),
      ListedErrors.entry("a provider without TLS", ProviderText.insecure),
    ] + changes.map { ListedErrors.entry("a change of a setting", $0) }
  }
}
