import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// An engine with an unsafe state reports the problem and the remedy, and changes nothing.
@Suite(.serialized)
struct UnsafeStateTests {
  /// A state directory with one account, whose engine has ended.
  ///
  /// It is made once, and each test uses a copy.
  private struct Original {
    let state: String
    let backend: DevBackend
    let token: String

    init() throws {
      // The tests of a slow machine may take longer than the usual quarter of an hour.
      backend = try DevBackend(["--access-lifetime", "86400"])
      let vault = try TestVault()
      try vault.start()
      token = try signIn(vault, backend)
      try vault.stopEngine()
      state = try Programs.scratch.get() + "/original"
      try shell("cp -a \(vault.state) \(state)")
    }
  }

  private static let original = Result { try Original() }

  private func made() throws -> (backend: DevBackend, vault: TestVault, token: String) {
    let original = try Self.original.get()
    let vault = try TestVault()
    try shell("rmdir \(vault.state); cp -a \(original.state) \(vault.state)")
    return (original.backend, vault, original.token)
  }

  /// The damage to the state directory (`$S`), the command that undoes it, and the engine's name
  /// for it.
  struct Damage: Sendable, CustomTestStringConvertible {
    let script: String
    let repair: String
    let message: String
    var testDescription: String { script }

    init(_ script: String, undo repair: String, says message: String) {
      self.script = script
      self.repair = repair
      self.message = message
    }
  }

  static let damages: [Damage] = [
    .init("chmod 755 $S", undo: "chmod 700 $S", says: "mode"),
    .init("chmod 701 $S", undo: "chmod 700 $S", says: "mode"),
    .init("chmod 770 $S", undo: "chmod 700 $S", says: "mode"),
    .init("chown 65534 $S", undo: "chown 0 $S", says: "65534"),
    .init("chmod 755 $S/slots", undo: "chmod 700 $S/slots", says: "slots"),
    .init("chown 65534 $S/tokens", undo: "chown 0 $S/tokens", says: "tokens"),
    .init(
      "mv $S/slots $S/../x; ln -s ../x $S/slots",
      undo: "rm $S/slots; mv $S/../x $S/slots",
      says: "slots"
    ),
    .init(
      "mv $S/tokens $S/x; echo >$S/tokens",
      undo: "rm $S/tokens; mv $S/x $S/tokens",
      says: "tokens"
    ),
    .init("chmod 640 $S/device-secret", undo: "chmod 600 $S/device-secret", says: "mode"),
    .init("chmod 604 $S/device-secret", undo: "chmod 600 $S/device-secret", says: "mode"),
    .init("chown 65534 $S/device-secret", undo: "chown 0 $S/device-secret", says: "65534"),
    .init("ln $S/device-secret $S/../x", undo: "rm $S/../x", says: "names"),
    .init("mv $S/device-secret $S/x", undo: "mv $S/x $S/device-secret", says: "missing"),
    .init(
      "mv $S/device-secret $S/x; ln -s x $S/device-secret",
      undo: "rm $S/device-secret; mv $S/x $S/device-secret",
      says: "symbolic link"
    ),
    .init(
      "mv $S/device-secret $S/x; mkfifo -m 600 $S/device-secret",
      undo: "rm $S/device-secret; mv $S/x $S/device-secret",
      says: "type"
    ),
    .init(
      "mv $S/device-secret $S/x; mkdir -m 700 $S/device-secret",
      undo: "rmdir $S/device-secret; mv $S/x $S/device-secret",
      says: "type"
    ),
    .init(
      "cp -p $S/device-secret $S/x; truncate -s 31 $S/device-secret",
      undo: "mv $S/x $S/device-secret",
      says: "31 bytes"
    ),
    .init(
      "cp -p $S/device-secret $S/x; truncate -s 0 $S/device-secret",
      undo: "mv $S/x $S/device-secret",
      says: "0 bytes"
    ),
    .init(
      "cp -p $S/device-secret $S/x; echo >>$S/device-secret",
      undo: "mv $S/x $S/device-secret",
      says: "33 bytes"
    ),
    .init(
      "cp -p $S/device-secret $S/x; head -c 32 /dev/zero >$S/device-secret",
      undo: "mv $S/x $S/device-secret",
      says: "zeros"
    ),
    .init("chmod 640 $S/vault.db", undo: "chmod 600 $S/vault.db", says: "vault.db"),
    .init("chown 65534 $S/vault.db", undo: "chown 0 $S/vault.db", says: "vault.db"),
    .init(
      "mv $S/vault.db $S/x; ln -s x $S/vault.db",
      undo: "rm $S/vault.db; mv $S/x $S/vault.db",
      says: "vault.db"
    ),
    .init(
      "cp -p $S/vault.db $S/x; head -c 20000 /dev/urandom >$S/vault.db",
      undo: "mv $S/x $S/vault.db",
      says: "damaged"
    ),
    .init(
      "cp -p $S/vault.db $S/x; printf 'this is no database' >$S/vault.db",
      undo: "mv $S/x $S/vault.db",
      says: "damaged"
    ),
    .init(
      "cp -p $S/vault.db $S/x; truncate -s 8192 $S/vault.db",
      undo: "mv $S/x $S/vault.db",
      says: "damaged"
    ),
    .init(
      // The user version, which holds the schema number, is at byte 60 of the header
      // (sqlite.org/fileformat2.html).
      "cp -p $S/vault.db $S/x; printf '\\0\\0\\0\\143' | "
        + "dd of=$S/vault.db bs=1 seek=60 conv=notrunc status=none",
      undo: "mv $S/x $S/vault.db",
      says: "newer"
    ),
    .init(
      // The application ID is at byte 68.
      "cp -p $S/vault.db $S/x; printf TLbv | "
        + "dd of=$S/vault.db bs=1 seek=68 conv=notrunc status=none",
      undo: "mv $S/x $S/vault.db",
      says: "before the first release"
    ),
  ]

  @Test(arguments: damages)
  func anEngineRefusesAndChangesNothing(_ damage: Damage) throws {
    let (_, vault, token) = try made()
    try shell("S=\(vault.state); \(damage.script)")
    let before = try vault.contents()
    for _ in 0..<2 {
      let engine = try vault.launchAlone()
      guard case .refused(let report) = engine.report else {
        Issue.record("\(damage.script): \(engine.report), \(String(describing: engine.end()))")
        return
      }
      #expect(engine.end() == .exited(1))
      #expect(report.hasPrefix("U") && report.hasSuffix("\n"), "\(report)")
      #expect(report.contains(damage.message), "\(report)")
      // The remedy follows the fault.
      #expect(report.contains("\t"), "\(report)")
      let after = try vault.contents()
      #expect(after.difference(from: before).isEmpty, "\(damage.script)")
    }
    try shell("S=\(vault.state); \(damage.repair)")
    try vault.start()
    #expect(try vault.connect().token() == token)
    try vault.stopEngine()
  }

  @Test
  func aStateDirectoryThatIsALinkOrAFileIsNotUsed() throws {
    let vault = try TestVault()
    for kind in ["echo >", "mkfifo "] {
      try shell("cd \(vault.base); rmdir state 2>/dev/null || rm -f state; \(kind)state")
      if kind == "mkfifo " { continue }
      let engine = try vault.launchAlone()
      guard case .refused = engine.report else {
        Issue.record("\(kind): \(engine.report)")
        continue
      }
    }
  }

  @Test
  func aFreshDirectoryBecomesAVaultWithPrivateFiles() throws {
    let vault = try TestVault()
    try vault.start()
    try vault.stopEngine()
    let files = try shell("cd \(vault.state); find . ! -perm 600 ! -perm 700 -printf '%p %m '")
    #expect(files == "")
    // The device secret is made once.
    let first = try shell("sha256sum \(vault.state)/device-secret")
    try vault.start()
    try vault.stopEngine()
    #expect(try shell("sha256sum \(vault.state)/device-secret") == first)
  }

  @Test
  func aMissingSecretIsMadeAgainIfNothingIsSealed() throws {
    let vault = try TestVault()
    try vault.start()
    try vault.stopEngine()
    try shell("rm \(vault.state)/device-secret")
    try vault.start()
    try vault.stopEngine()
  }

  @Test(arguments: [
    "rm $S/slots/*", "chmod 644 $S/slots/*", "truncate -s 100 $S/slots/*", "chown 65534 $S/slots/*",
    "for f in $S/slots/*; do mv $f $S/x; ln -s ../x $f; done",
    "for f in $S/slots/*; do rm $f; mkfifo -m 600 $f; done", "ln $S/slots/* $S/x",
  ])
  func aSlotInDoubtStopsTheRefreshAndNothingElse(_ damage: String) throws {
    let (backend, vault, token) = try made()
    try shell("S=\(vault.state); \(damage)")
    try vault.start()
    let caller = try vault.connect()
    #expect(try caller.token() == token)
    let failure = try caller.failure(AccessTokenCall(account: "me", rejected: token))
    guard case .vaultUnsafe = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(try backend.requests().map(\.path) == ["/auth/register"])
    #expect(try backend.count("sessions") == 1)
  }

  @Test(arguments: ["vault.db-wal", "vault.db-journal", "rollback-counter"])
  func aFileOfSomeoneElseBesideTheStoreIsNotUsed(_ name: String) throws {
    let (_, vault, _) = try made()
    try shell(
      "cd \(vault.state); cp /etc/hostname ../victim; rm -f \(name); ln -s ../victim \(name)"
    )
    let before = try shell("sha256sum \(vault.base)/victim")
    let engine = try vault.launchAlone()
    if case .listening = engine.report {
      // The engine must not write through files that it does not need at its start either.
      let caller = try vault.connect()
      _ = try? caller.token("me", rejected: try caller.token())
      _ = engine.stop()
    }
    #expect(try shell("sha256sum \(vault.base)/victim") == before)
  }
}
