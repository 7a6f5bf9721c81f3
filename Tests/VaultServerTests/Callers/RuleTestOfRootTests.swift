import ScriptedTPM
import System
import TestSupport
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

/// Root tests the rules for a process of another user.
@Suite(.timeLimit(.minutes(10)))
struct RuleTestOfRootTests {
  private let machine: SlotMachine
  private let root = Caller(connection: 1, user: 0, requester: "a test")

  init() throws { machine = try SlotMachine() }

  /// Runs a body with a process that is not root's.
  private func withProcess(
    _ body: (_ process: Int32, _ user: UInt32) async throws -> Void
  ) async throws {
    guard ThisProcess.user == 0 else {
      return try await body(ThisProcess.identifier, ThisProcess.user)
    }
    let user: UInt32 = 1
    let child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/sleep", "infinity",
      ],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    defer {
      child.kill()
      _ = try? child.wait()
    }
    #expect(eventually { ProcessFacts(process: child.identifier)?.user == user })
    try await body(child.identifier, user)
  }

  private func error(_ process: Int32, _ vaults: Vaults) async throws -> VaultError? {
    let text = #"{"method":"io.thumblatch.Vault.TestRule","parameters":{"process":\#(process)}}"#
    let answer = await vaults.answer(
      try ParsedCall(text: text),
      from: root,
      Recognition(),
      reply: { _ in },
      whenSent: { true }
    )
    return try VaultError(decoding: answer.reply)
  }

  @Test
  func aDamagedVaultDoesNotHideTheRulesOfTheMachine() async throws {
    try await withProcess { process, user in
      try await machine.service(NoTPM()).makeVaults(of: user)
      let store = try Directory(path: machine.path + "/users/\(user)").openForWriting("vault.db")
      try store.write([UInt8](repeating: 7, count: 4096), at: 0)
      let vaults = try machine.service(NoTPM())
      await #expect(throws: VaultFailure.self) { try await vaults.fingers(of: user) }
      let hidden = try await error(process, vaults)
      #expect(hidden == nil, "\(String(describing: hidden))")
    }
  }
}
