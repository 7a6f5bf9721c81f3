import BackupFormat
import Configuration
import JSON
import SecretMemory
import Storage
import Testing

@testable import TokenVault

/// Backups that a program has written by hand, with a key that it knows.
///
/// The service takes accounts in this form from any program of a user.
@Suite(.timeLimit(.minutes(5)))
struct HostileBackupTests {
  private let backups = BackupTests()

  private func file(_ records: [JSONObject]) throws -> [UInt8] {
    let key = shared(String(repeating: "k", count: 32))
    let header = try BackupHeader(parsing: BackupTests.header)
    let boxes = try BackupBoxes(key.bytes, header)
    let manifest = BackupManifest(accounts: records.count, chosen: nil)
    var file = header.encoded + (try boxes.seal(manifest.object, number: 0))
    for (number, record) in records.enumerated() {
      file += try boxes.seal(record, number: number + 1)
    }
    return file
  }

  /// An account with a static secret, or with the one token of its provider.
  private func record(
    _ provider: Provider,
    name: String = "git",
    token: String = "pat-1",
    _ settings: [String: JSONValue] = [:],
    life: [String: JSONValue] = [:]
  ) -> JSONObject {
    var sealed: JSONObject = ["type": "Bearer", "stored_at": 1, "expires_at": 4_000_000_000]
    for (name, value) in life { sealed[name] = value }
    var record: JSONObject = [
      "name": .string(name), "provider": .string(provider.name.text),
      "settings": .string(Base64.standard.text(provider.canonicalForm)), "protected": false,
      "exportable": false, "created_at": 1, "refreshed_at": 1,
      "refresh_token": .secret(shared(token)), "sealed_token": .object(sealed),
    ]
    for (name, value) in settings { record[name] = value }
    return record
  }

  private func take(_ file: [UInt8], _ vault: Vault) async throws {
    try await vault.addToBackup(file, at: 0, caller: caller())
    let key = shared(String(repeating: "k", count: 32))
    try await vault.takeOver([UInt8](repeating: 1, count: 16), key, caller: caller())
  }

  @Test(arguments: [Int64.min, -1, StaticSecret.lastEnd + 1, .max])
  func aTimeThatNoVaultWritesIsRefused(_ time: Int64) async throws {
    let host = try staticHost()
    let bench = try Bench()
    defer { withExtendedLifetime(bench) {} }
    let vault = try await bench.open()
    let records = [
      record(host, ["created_at": .integer(time)]), record(host, ["refreshed_at": .integer(time)]),
      record(host, life: ["expires_at": .integer(time)]),
      record(host, life: ["stored_at": .integer(time)]),
    ]
    for record in records {
      let file = try file([record])
      guard case .invalidArgument? = await failure({ try await take(file, vault) }) else {
        // Any use of these times would end the tests.
        Issue.record("taken")
        return
      }
    }
    #expect(try await vault.accounts().isEmpty)
    try await take(try file([record(host)]), vault)
    #expect(try await vault.token("git").accessToken == "pat-1")
  }

  @Test(arguments: ["", "a\u{1B}[2J", "a\u{7F}", "a\u{9B}2J"])
  func aSecretThatCannotBeHandedOutIsRefused(_ secret: String) async throws {
    let bench = try Bench()
    defer { withExtendedLifetime(bench) {} }
    let vault = try await bench.open()
    let file = try file([record(try staticHost(), token: secret)])
    guard case .invalidArgument? = await failure({ try await take(file, vault) }) else {
      Issue.record("taken")
      return
    }
    #expect(try await vault.accounts().isEmpty)
  }

  @Test(arguments: ["", "a b", "a\r\nX-Other: b", "a\u{E9}"])
  func aTokenThatWouldEndItsHeaderIsRefused(_ token: String) async throws {
    let bench = try Bench()
    defer { withExtendedLifetime(bench) {} }
    let vault = try await bench.open()
    let one = try provider(["refresh_token_field": "access_token"])
    let file = try file([record(one, token: token)])
    guard case .invalidArgument? = await failure({ try await take(file, vault) }) else {
      Issue.record("taken")
      return
    }
    #expect(try await vault.accounts().isEmpty)
    try await take(try self.file([record(one, token: "rt-1")]), vault)
    #expect(try await vault.accounts().count == 1)
  }

  /// Otherwise one such account would keep all accounts from being listed.
  @Test
  func factsThatNoReplyCouldHoldAreCut() async throws {
    let bench = try Bench()
    defer { withExtendedLifetime(bench) {} }
    let vault = try await bench.open()
    // The store can hold it, and a reply has it inside two more objects.
    let deep = String(repeating: "[", count: 29) + String(repeating: "]", count: 29)
    let long = String(repeating: "a", count: 5000)
    let signs = String(repeating: "\u{E000}", count: 600)
    let hostile: [String: JSONValue] = [
      "subject": .string(long), "email": .string(long), "display_name": .string(signs),
      "scope": .string(long), "missing_scope": .string(long),
      "person": .string(#"{"role":"\#(long)","claims":{"a":\#(deep)}}"#),
    ]
    let life: [String: JSONValue] = ["scope": .string(signs), "type": .string(signs)]
    let few = #"{"role":"admin","claims":{"code":"DE"}}"#
    let fitting: [String: JSONValue] = ["person": .string(few), "display_name": .string("Ada")]
    let records = [
      record(try staticHost(), name: "hostile", hostile, life: life),
      record(try staticHost(), fitting),
    ]
    try await take(try file(records), vault)
    let row = try await vault.row("hostile")
    let texts = [row.subject, row.email, row.displayName, row.loginScope, row.person.role]
    #expect(texts.allSatisfy { (4088...4096).contains($0?.utf8.count ?? 0) })
    #expect(row.person.claims.members.isEmpty)
    let other = try await vault.row("git")
    #expect(other.person.claims["code"] == "DE" && other.displayName == "Ada")
    #expect(try await vault.token("hostile").accessToken == "pat-1")
  }

  @Test
  func moreAccountsThanAVaultMayHaveAreNotOpened() async throws {
    let administrator = Administrator()
    let bench = try Bench()
    defer { withExtendedLifetime(bench) {} }
    let vault = try await bench.open(rules: administrator)
    administrator.write("[Policy]\naccounts = 2\n")
    // The boxes of the accounts are empty: opening one is another error.
    let many = try file([JSONObject](repeating: [:], count: 3))
    guard case .refused(let why)? = await failure({ try await take(many, vault) }) else {
      Issue.record("opened")
      return
    }
    #expect(why.hasPrefix("the limit on accounts is reached: 2"))
    let boxes = BackupBoxes.boxes(of: many, most: 3)
    #expect(boxes?.count == 3)
    let tooMany = try file([record(try staticHost())]) + [UInt8](repeating: 0, count: 400)
    guard case .invalidArgument? = await failure({ try await take(tooMany, vault) }) else {
      Issue.record("taken")
      return
    }
    try await take(try file([record(try staticHost())]), vault)
    #expect(try await vault.accounts().count == 1)
  }
}
