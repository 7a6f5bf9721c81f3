import Glibc
import MachineKey
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Synchronization
import System
import TestSupport
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

/// The calls about slots of security keys, in an engine of one user.
@Suite(.timeLimit(.minutes(10)))
struct KeySlotCallTests {
  private let machine: SlotMachine
  private let user = ThisProcess.user
  private var caller: Caller { Caller(connection: 1, user: user, requester: "a test") }

  init() throws { machine = try SlotMachine() }

  /// Adds the key, and returns the engine and its touches.
  private func added(_ key: ScriptedKey, pin: String? = nil) async throws {
    try await machine.privately(NoTPM()).makeVaults(of: user)
    let vaults = try await privately(key)
    let vault = try #require(vaults.openVault(of: user))
    let pin = try pin.map { try secret($0) }
    let code = try await passing(vault, caller) { prompt throws(VaultFailure) in
      try await vaults.addSlot(
        AddSlotCall(kind: .securityKey, pin: pin, prompt: prompt),
        of: caller
      ).code
    }
    let touches = Mutex(0)
    let reply = try await vaults.addSlot(
      AddSlotCall(kind: .securityKey, recovery: code, pin: pin),
      .of(caller, more: true) { reply in
        if (try? AddSlotReply(decoding: reply.parameters))?.touch == true {
          touches.withLock { $0 += 1 }
        }
      }
    )
    #expect(reply.vaults == 1 && reply.slots.count == 2 && touches.withLock { $0 } == 2)
    await vaults.retireAll(within: 60)
  }

  @Test
  func aTouchOpensAPrivateVault() async throws {
    let key = ScriptedKey()
    try await added(key)
    let vaults = try await privately(key)
    let needed = await failure { _ = try await vaults.fingers(of: user) }
    #expect(needed == .machineKeyNeeded("the vault needs a touch of its security key"))
    let events = Mutex<[EnrollEvent]>([])
    let context = CallContext.of(caller, more: true) { reply in
      guard let event = try? OpenMachineKeyReply(decoding: reply.parameters).event else { return }
      events.withLock { $0.append(event) }
    }
    #expect(try await vaults.openMachineKey(OpenMachineKeyCall(), context).event == .done)
    #expect(events.withLock { $0 } == [.waiting])
    #expect(try await vaults.fingers(of: user) == ["left-thumb"])
    // It is open until the engine ends.
    _ = try await vaults.openMachineKey(OpenMachineKeyCall(), context)
    #expect(events.withLock { $0 } == [.waiting] && key.touches == 3)
  }

  @Test
  func aWrongPINCostsNoSecondPassword() async throws {
    let key = ScriptedKey(pin: "8261")
    try await added(key, pin: "8261")
    let vaults = try await privately(key)
    _ = try await vaults.openMachineKey(
      OpenMachineKeyCall(pin: try secret("8261")),
      .of(caller)
    )
    let vault = try await vaults.use(of: user) { vault throws(VaultFailure) in vault }
    key.reset()
    key.set(pin: "1234")
    // The PIN is asked for before the password.
    let first = await failure {
      _ = try await vaults.addSlot(AddSlotCall(kind: .securityKey), of: caller)
    }
    #expect(first == .keyPINNeeded("the security key wants its PIN", retries: 8))
    let wrong = try secret("0000")
    let refused = await failure {
      try await passing(vault, caller) { prompt throws(VaultFailure) in
        _ = try await vaults.addSlot(
          AddSlotCall(kind: .securityKey, pin: wrong, prompt: prompt),
          of: caller
        )
      }
    }
    #expect(refused == .keyPINNeeded("wrong PIN of the security key", retries: 7))
    let right = AddSlotCall(kind: .securityKey, pin: try secret("1234"))
    let other = Caller(connection: 2, user: user, requester: "another program")
    guard case .presenceNeeded? = await failure({ _ = try await vaults.addSlot(right, of: other) })
    else {
      Issue.record("the password of one connection counts for another one")
      return
    }
    #expect(try await vaults.addSlot(right, of: caller).slots.count == 3)
    guard case .presenceNeeded? = await failure({ _ = try await vaults.addSlot(right, of: caller) })
    else {
      Issue.record("a password counts twice")
      return
    }
  }

  /// Another message of the caller cancels its task; else its connection ends.
  @Test(arguments: [true, false])
  func aCallerThatLeavesEndsTheLight(byTask: Bool) async throws {
    let isLit = Mutex(false)
    let waits = Mutex(false)
    let key = ScriptedKey(whenLit: { wait in
      guard isLit.withLock({ $0 }) else { return }
      waits.withLock { $0 = true }
      while (try? wait.during({ () throws(SecurityKeyFailure) in }, endedBy: {})) != nil {
        sched_yield()
      }
    })
    try await added(key)
    let vaults = try await privately(key)
    isLit.withLock { $0 = true }
    let lit = Mutex(false)
    let context = CallContext.of(caller, more: true) { _ in lit.withLock { $0 = true } }
    let call = Task { await failure { _ = try await vaults.openMachineKey(.init(), context) } }
    while !lit.withLock({ $0 }) || !waits.withLock({ $0 }) { await Task.yield() }
    // The key is lit for one caller at a time, and the next one waits for its turn.
    isLit.withLock { $0 = false }
    let other = Caller(connection: 2, user: user, requester: "another test")
    let second = Task { try await vaults.openMachineKey(.init(), .of(other)) }
    if byTask { call.cancel() } else { vaults.disconnect(caller.connection, of: user) }
    #expect(await call.value == .presenceFailed(.cancelled, methods: []))
    #expect(try await second.value.event == .done)
    #expect(try await vaults.fingers(of: user) == ["left-thumb"])
  }

  @Test
  func aCallWhoseCallerHasLeftLightsNothingWhenItsTurnComes() async throws {
    let key = ScriptedKey()
    try await added(key)
    let vaults = try await privately(key)
    let touches = key.touches
    let context = CallContext.of(caller)
    let call = try await vaults.slotChanges.alone {
      () async throws(VaultFailure) -> Task<VaultFailure?, Never> in
      let call = Task { await failure { _ = try await vaults.openMachineKey(.init(), context) } }
      call.cancel()
      return call
    }
    #expect(await call.value == .presenceFailed(.cancelled, methods: []))
    #expect(key.touches == touches)
  }

  @Test
  func aCallThatWaitsForATouchIsCancelledWithItsConnection() throws {
    let calls = [
      #"{"method":"io.thumblatch.Vault.OpenMachineKey"}"#,
      #"{"method":"io.thumblatch.Vault.AddSlot","parameters":{"kind":"security_key"}}"#,
    ]
    for text in calls {
      let connection = Connection(
        try .thisProcess(),
        number: 1,
        share: Share(.person(user)),
        kind: .person
      )
      connection.hand(try ParsedCall(text: text))
      let answer = Task { while !Task.isCancelled { await Task.yield() } }
      connection.answering(answer)
      connection.giveUp()
      #expect(answer.isCancelled, "\(text)")
      answer.cancel()
    }
  }

  /// The addition of a security key has no slot of the TPM that it could go on with.
  @Test
  func aSlotOfTheTPMIsAddedDuringTheAdditionOfAKey() async throws {
    try await machine.privately(NoTPM()).makeVaults(of: user)
    let vaults = try await privately(ScriptedKey(), ScriptedTPM())
    let vault = try #require(vaults.openVault(of: user))
    let code = try await passing(vault, caller) { prompt throws(VaultFailure) in
      try await vaults.addSlot(AddSlotCall(kind: .securityKey, prompt: prompt), of: caller).code
    }
    // The vault cannot be rekeyed.
    let next = machine.path + "/device-secret.next"
    try run("/bin/mkdir", [next])
    let first = AddSlotCall(kind: .securityKey, recovery: code)
    #expect(await failure { _ = try await vaults.addSlot(first, of: caller) } != nil)
    try run("/bin/rmdir", [next])
    let reply = try await passing(vault, caller) { prompt throws(VaultFailure) in
      try await vaults.addSlot(AddSlotCall(kind: .tpm, prompt: prompt), of: caller)
    }
    #expect(reply.vaults == 1 && reply.slots.contains { $0.kind == .tpm })
  }

  @Test
  func theServiceRefusesSecurityKeys() async throws {
    let vaults = try machine.service(ScriptedTPM())
    for call in [
      { _ = try await vaults.addSlot(AddSlotCall(kind: .securityKey), of: root) },
      { _ = try await vaults.openMachineKey(OpenMachineKeyCall(), .of(root)) },
    ] as [() async throws -> Void] {
      guard case .refused(let why)? = await failure(call) else {
        Issue.record("the service takes a security key")
        continue
      }
      #expect(why.contains("only a private vault"))
    }
  }

  /// Waits until an earlier engine has left the directory.
  private func privately(
    _ key: ScriptedKey,
    _ tpm: any TPMSealing = NoTPM()
  ) async throws -> Vaults {
    while true {
      do {
        return try machine.privately(tpm, keys: key)
      } catch {
        guard "\(error)".contains("another process") else { throw error }
        await Task.yield()
      }
    }
  }

  private func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }
}
