import Glibc
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// An engine that is killed while it renames or removes an account.
@Suite(.serialized)
struct AccountCrashTests {
  /// How many moments between the call and its answer are tried.
  private static let moments: Int64 = 16

  /// Kills an engine at moments spread over the duration of the call.
  ///
  /// `check` examines the state that the next engine finds.
  private func kill<Method: VarlinkMethod>(
    during call: Method,
    check: (TestVault, String) throws -> Void
  ) throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let token = try signIn(vault, backend)
    try vault.stopEngine()
    try shell("cp -a \(vault.state) \(vault.base)/original")
    var length: Int64 = 0
    for moment in 0...Self.moments {
      try shell("rm -rf \(vault.state); cp -a \(vault.base)/original \(vault.state)")
      try vault.start()
      let caller = try vault.connect()
      // The first call of an engine does extra work, so make it before the measurement.
      _ = try caller.account()
      let begun = BootInstant.now.nanoseconds
      try caller.send(call)
      if moment == 0 {
        _ = try caller.result(of: Method.self)
        length = BootInstant.now.nanoseconds - begun
      } else {
        while BootInstant.now.nanoseconds - begun < length * moment / Self.moments {}
      }
      vault.killEngine()
      try vault.start()
      try check(vault, token)
      try vault.stopEngine()
    }
  }

  private func names(_ vault: TestVault, _ folder: String) throws -> [String] {
    try Directory(path: vault.state + "/" + folder).names().filter { $0 != "@" }.sorted()
  }

  @Test
  func aRemovalLeavesTheWholeAccountOrNone() throws {
    try kill(during: RemoveAccountCall(account: "me", local: true)) { vault, token in
      let caller = try vault.connect()
      let failure = try caller.failure(AccessTokenCall(account: "me"))
      guard failure != nil else {
        #expect(try caller.token() == token)
        #expect(try names(vault, "slots").count == 1)
        return
      }
      #expect(failure == .noSuchAccount(account: "me"))
      #expect(try names(vault, "slots") == [])
      #expect(try names(vault, "tokens") == [])
    }
  }

  @Test
  func aRenamedAccountHasOneNameOrTheOther() throws {
    try kill(during: RenameAccountCall(account: "me", name: "work")) { vault, token in
      let caller = try vault.connect()
      let isRenamed = try caller.failure(AccessTokenCall(account: "me")) != nil
      let name = isRenamed ? "work" : "me"
      #expect(try caller.token(name) == token)
      #expect(try names(vault, "tokens") == [name])
      #expect(try names(vault, "slots").count == 1)
      #expect(
        try caller.failure(AccessTokenCall(account: isRenamed ? "me" : "work")) != nil
      )
    }
  }
}
