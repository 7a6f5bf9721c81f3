import Configuration
import Glibc
import Providers
import SecretMemory
import System
import TestSupport
import Testing
import ThumblatchKitTesting

@testable import ThumblatchKit

/// The machine's provider files in an app.
struct InstalledProviderTests {
  /// Two directories with these files: the machine's and the person's.
  private func directories(
    _ machine: [String: String],
    _ person: [String: String],
    mode: UInt32 = 0o600
  ) throws -> (ProviderDirectories, ScratchDirectory) {
    let scratch = try ScratchDirectory()
    let home = scratch.path + "/home"
    let places = [scratch.path + "/etc": machine, home + "/.config/thumblatch/providers.d": person]
    for (path, files) in places {
      let directory = try Directory.make(path: path)
      for (name, text) in files {
        let file = try directory.create(name)
        try file.write(text)
        #expect(fchmod(file.number, mode_t(mode)) == 0)
      }
    }
    let found = try ProviderDirectories(system: scratch.path + "/etc") { name in
      name == "HOME" ? home : nil
    }
    return (found, scratch)
  }

  private static let backend = "[Provider]\nkind = password-backend\nissuer = https://a.test\n"
  private static let server = """
    [Provider]
    kind = oidc
    issuer = https://id.test
    client_id = app
    client_secret = very-secret
    timeout = 5s

    """

  @Test
  func allAreListedAndTheFilesOfTheMachineWin() throws {
    let (directories, scratch) = try directories(
      ["work.conf": Self.server, "README": "no provider"],
      ["work.conf": Self.backend, "own.conf": Self.backend, "broken.conf": "nonsense"]
    )
    let found = try AuthProvider.installed(in: directories, .production)
    #expect(found.map(\.name) == ["broken", "own", "work"])
    #expect(found.map(\.source) == [.person, .person, .machine])
    guard case .failure(let error) = found[0].provider else {
      Issue.record("nonsense is a provider")
      return
    }
    #expect(error.kind == .misconfigured && error.message.contains("broken.conf:1"))
    #expect(try found[1].provider.get().settings["issuer"] == "https://a.test")
    let work = try found[2].provider.get()
    #expect(work.settings["timeout"] == "5s" && work.settings["client_secret"] == nil)
    #expect(work.clientSecret?.bytes.count == 11)
    var text = "\(work) \(String(reflecting: work))"
    dump(work, to: &text)
    #expect(!text.contains("very-secret"))
    _ = scratch
  }

  @Test
  func aFileThatOthersMayReadOrChangeIsNotUsed() throws {
    let (exposed, first) = try directories([:], ["work.conf": Self.server], mode: 0o644)
    let readable = try AuthProvider.installed(in: exposed, .production)[0].provider
    #expect(throws: AuthError.self) { try readable.get() }
    let (open, second) = try directories([:], ["own.conf": Self.backend], mode: 0o666)
    let writable = try AuthProvider.installed(in: open, .production)[0].provider
    let error = #expect(throws: AuthError.self) { try writable.get() }
    #expect(error?.message.contains("other users") == true)
    _ = (first, second)
  }

  @Test
  func plainHTTPIsForDevelopment() throws {
    let text = "[Provider]\nkind = password-backend\nissuer = http://localhost:8000\n"
    let (directories, scratch) = try directories([:], ["dev.conf": text])
    let name = try ProviderName("dev")
    #expect(throws: AuthError.self) { try AuthProvider(name, in: directories, .production) }
    let found = try AuthProvider(name, in: directories, .development)
    #expect(found.name == "dev" && found.settings["issuer"] == "http://localhost:8000")
    let missing = #expect(throws: AuthError.self) {
      try AuthProvider(ProviderName("nowhere"), in: directories, .development)
    }
    #expect(missing?.kind == .misconfigured)
    #expect(missing?.recoverySuggestion?.contains("provider add") == true)
    _ = scratch
  }

  @Test
  func theTimeoutsOfAnAppAreSettings() throws {
    let provider = try AuthProvider.passwordBackend(
      "https://a.test",
      timeout: .seconds(5),
      connectTimeout: .milliseconds(1500)
    )
    #expect(provider.settings["timeout"] == "5s" && provider.settings["connect_timeout"] == "2s")
    let failure = #expect(throws: AuthError.self) {
      try AuthProvider.openID("https://a.test", clientID: "x", timeout: .seconds(61))
    }
    #expect(failure?.kind == .invalidArgument)
  }

  @Test
  func theCertificatesOfANewProviderGetAFileBesideIt() throws {
    let (directories, scratch) = try directories([:], [:])
    let written = try Provider(
      name: try ProviderName("work"),
      settings: [
        "kind": "oidc", "issuer": "https://id.test", "client_id": "app",
        "ca": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      ]
    )
    try directories.add(written)
    #expect(try directories.read(written.name).provider == written)
    #expect(try Directory(path: directories.user).names().sorted() == ["work.conf", "work.pem"])
    withExtendedLifetime(scratch) {}
  }

  @Test
  func aNewProviderIsWrittenOnceAndReadBack() throws {
    let (directories, scratch) = try directories([:], [:])
    let written = try Provider(
      name: try ProviderName("work"),
      settings: ["kind": "oidc", "issuer": "https://id.test", "client_id": "app"],
      clientSecret: try ClientSecret(SharedSecret(try SecretBytes(copying: Array("secret".utf8))))
    )
    try directories.add(written)
    let (read, source) = try directories.read(written.name)
    #expect(read == written && source == .user)
    let file = directories.user + "/work.conf"
    let opened = Descriptor(owning: unsafe open(file, O_RDONLY | O_CLOEXEC))
    #expect(try opened.status().mode & 0o777 == 0o600)
    // A second provider of this name does not replace the first one.
    #expect(throws: ProviderFileError.self) { try directories.add(written) }
    #expect(try Directory(path: directories.user).names() == ["work.conf"])

    let changed = unsafe chmod(directories.user, 0o777)
    #expect(changed == 0)
    #expect(throws: ProviderFileError.unsafe(path: directories.user)) {
      try directories.add(written)
    }
    withExtendedLifetime(scratch) {}
  }
}
