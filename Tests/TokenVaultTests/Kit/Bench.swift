import AuditLog
import Configuration
import Glibc
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A vault on a real state directory, with every dependency under the test's control.
final class Bench: Sendable {
  let scratch: Scratch
  let clock: ManualClock
  let exchange = ScriptedExchange()
  let check = ScriptedCheck()

  init(_ scratch: Scratch? = nil, clock: ManualClock = ManualClock()) throws {
    self.scratch = try scratch ?? Scratch()
    self.clock = clock
  }

  /// Opens the vault.
  ///
  /// Waits until a dropped vault has gone.
  func open(
    owner: UInt32 = ThisProcess.user,
    keepsTokens: Bool = true,
    limits: AuditLimits = .standard,
    windowGuard: (any SessionEvents)? = nil,
    rules: any MachineRules = NoRules(),
    promptLimit: PromptLimit = .none,
    locations: (any CallerLocations)? = nil,
    agents: (any DesktopAgents)? = nil,
    journal: (any AuditJournal)? = nil,
    slots: MachineKeySlots? = nil,
    service: (any ServiceTransfer)? = nil
  ) async throws -> Vault {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while true {
      do {
        return try Vault(
          directory: try StateDirectory(
            try Directory.make(path: scratch.path),
            keepsTokens: keepsTokens
          ),
          owner: owner,
          exchange: exchange,
          check: check,
          clock: clock,
          auditLimits: limits,
          windowGuard: windowGuard,
          rules: rules,
          promptLimit: promptLimit,
          locations: locations,
          agents: agents,
          journal: journal,
          machineKeySlots: slots,
          service: service
        )
      } catch let error as StorageError where error == .inUse && BootInstant.now < deadline {
        await Task.yield()
      }
    }
  }

  /// Lends the state directory, while no vault is open.
  ///
  /// Waits until a dropped vault has gone.
  func withDirectory<Value>(_ body: (StateDirectory) throws -> Value) async throws -> Value {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while true {
      do {
        return try body(try StateDirectory(path: scratch.path))
      } catch let error as StorageError where error == .inUse && BootInstant.now < deadline {
        await Task.yield()
      }
    }
  }

  /// Lends the store, while no vault is open.
  func withStore<Value>(_ body: (Store) throws -> Value) async throws -> Value {
    try await withDirectory { try body(try Store(in: $0)) }
  }

  /// Changes the store as an attacker with the device secret could, while no vault is open.
  ///
  /// The counts fit, so that the checks behind them are tested.
  func forge<Value>(_ body: (Store) throws -> Value) async throws -> Value {
    let secret = try #require(try scratch.files()["device-secret"])
    let keys = try VaultKeys(try SecretBytes(copying: secret))
    return try await withStore { store in
      let value = try body(store)
      let seal = try Vault.storeDigest(
        of: store,
        count: try Vault.boxChanges(in: store),
        vault: try #require(try store.meta("vault")),
        using: keys.counter
      )
      try store.setMeta(Vault.storeDigestKey, to: seal)
      return value
    }
  }

  /// The state that a kill at this moment would leave, in its own directory.
  func snapshot(clock: ManualClock? = nil) throws -> Bench {
    let copy = try Scratch()
    try run("/bin/cp", ["-a", scratch.path, copy.path])
    return try Bench(
      copy,
      clock: clock
        ?? ManualClock(
          wall: self.clock.wall.seconds,
          secondsSinceBoot: self.clock.boot.nanoseconds / 1_000_000_000
        )
    )
  }

  /// Signs an account in: generation 1, refresh token `rt-1`, access token `at-1` for an hour.
  @discardableResult
  func signIn(
    _ vault: Vault,
    _ name: String = "me",
    refresh: String = "rt-1",
    access: String = "at-1",
    lifetime: Int? = 3600,
    settings: [String: String] = [:]
  ) async throws -> AccountFacts {
    exchange.plan(.tokens(access: access, refresh: refresh, lifetime: lifetime))
    return try await vault.signIn(
      account: name,
      provider: try provider(settings),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
  }

  /// Passes this prompt's check by the system password.
  func pass(_ need: PresenceNeed, _ vault: Vault, _ caller: Caller) async throws {
    check.plan([.matched])
    let step = try await vault.check(need.prompt, by: .password, caller: caller) { _ in }
    #expect(step == .passed)
  }

  /// Turns protection on or off, with the password, and closes the window that this opens.
  @discardableResult
  func protect(
    _ vault: Vault,
    _ name: String = "me",
    on: Bool = true
  ) async throws -> AccountFacts {
    let wasOpen = await vault.isHoldingWindow
    let need = try await need {
      _ = try await vault.setProtection(on, account: name, prompt: nil, caller: caller())
    }
    try await pass(need, vault, caller())
    let facts = try await vault.setProtection(
      on,
      account: name,
      prompt: need.prompt,
      caller: caller()
    )
    if !wasOpen { await vault.closeWindows() }
    return facts
  }

  /// Opens the unlock window, with the password.
  @discardableResult
  func unlock(
    _ vault: Vault,
    _ names: [String] = [],
    seconds: Int64? = nil,
    caller: Caller = caller()
  ) async throws -> VaultFacts {
    let need = try await need {
      _ = try await vault.unlock(names, seconds: seconds, prompt: nil, caller: caller)
    }
    try await pass(need, vault, caller)
    return try await vault.unlock(names, seconds: seconds, prompt: need.prompt, caller: caller)
  }

  /// Enrolls a finger whose print is these bytes.
  func enroll(_ vault: Vault, _ finger: String = "right-index") async throws {
    let need = try await need {
      _ = try await vault.enroll(finger, prompt: nil, caller: caller()) { _ in }
    }
    try await pass(need, vault, caller())
    let before = check.enrollments.count
    async let done = vault.enroll(finger, prompt: need.prompt, caller: caller()) { _ in }
    while check.enrollments.count == before { await Task.yield() }
    check.enrollments[before].tell(
      .done(print: shared("print of \(finger)"), driver: "scripted", device: "1")
    )
    _ = try await done
  }
}

/// The provider of the tests.
func provider(_ settings: [String: String] = [:], name: String = "dev") throws -> Provider {
  let base = ["kind": "password-backend", "issuer": "https://id.example.com"]
  return try Provider(name: ProviderName(name), settings: base.merging(settings) { $1 })
}

/// A caller on a connection.
func caller(
  _ connection: UInt64 = 1,
  terminal: Int32? = nil,
  asking: Caller.Asking = .atOnce
) -> Caller {
  Caller(
    connection: connection,
    user: ThisProcess.user,
    requester: "bash, PID \(connection)",
    terminal: terminal,
    asking: asking
  )
}

/// The prompt that a call needs.
func need(_ body: () async throws -> Void) async throws -> PresenceNeed {
  do {
    try await body()
  } catch VaultFailure.presenceNeeded(let need) {
    return need
  }
  Issue.record("no presence check was asked for")
  throw VaultFailure.unexpected("no prompt")
}

/// The failure that a call ends with.
func failure(_ body: () async throws -> Void) async -> VaultFailure? {
  do {
    try await body()
    return nil
  } catch let failure as VaultFailure {
    return failure
  } catch {
    Issue.record("\(error)")
    return nil
  }
}

extension PromptLimit {
  /// No limit, for tests of other features with a stopped clock.
  static var none: PromptLimit {
    let free = Measure(burst: 1_000_000, seconds: 1)
    return PromptLimit(ofOne: free, ofAll: free, ofJoining: free, pauses: [0])
  }
}
