import MachineKey
import OAuth
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import TestSupport
import Testing
import TokenVault

@testable import VaultServer

/// The state directory of a service or of a private vault, and engines on it.
final class SlotMachine: Sendable {
  /// A reader that gives a print at once, and a PAM stack that accepts any password.
  private struct Door: PresenceChecker {
    private struct Check: CheckConversation {
      func next() async -> CheckEvent { .matched }
      func respond(_ text: SharedSecret) async {}
      func cancel() {}
    }

    private struct Taking: EnrollmentConversation {
      func next() async -> EnrollmentEvent {
        guard let print = try? SecretBytes(copying: Array("a print".utf8)) else {
          return .failed(.notAvailable("no memory for a secret"))
        }
        return .done(print: SharedSecret(print), driver: "scripted", device: "1")
      }
      func keep() {}
      func cancel() {}
    }

    func prepare() async -> (any PreparedCheck)? { nil }

    func start(
      _ attempt: PresenceAttempt,
      of caller: Caller
    ) async throws(PresenceFailure) -> any CheckConversation {
      guard case .password = attempt else { throw .notAvailable("") }
      return Check()
    }

    func enroll(
      _ request: EnrollmentRequest
    ) async throws(PresenceFailure) -> any EnrollmentConversation { Taking() }

    func delete(_ print: LoadedPrint) async -> PrintDeletion { .gone }

    func reader() async -> ReaderFacts {
      ReaderFacts(available: true, name: nil, driver: nil, reason: nil)
    }

    func desktopFingers(of caller: Caller) async -> DesktopFingers? { nil }
    func desktopView(of caller: Caller) async -> DesktopView { .seen(nil) }
  }

  private struct NoExchange: TokenExchange {
    func perform(
      _ request: ProviderRequest,
      terms: ExchangeTerms,
      delivery: AnswerDelivery?
    ) async -> ExchangeReply { .notSent(reason: "a stub") }
  }

  private final class Users: Sendable {
    let directories: UserDirectories

    init(_ directories: consuming UserDirectories) { self.directories = directories }
  }

  private let scratch: ScratchDirectory
  var path: String { scratch.path + "/state" }

  init() throws { scratch = try ScratchDirectory() }

  private static func vault(
    _ directory: StateDirectory,
    _ user: UInt32,
    _ slots: MachineKeySlots
  ) throws -> Vault {
    try Vault(
      directory: directory,
      owner: user,
      exchange: NoExchange(),
      check: Door(),
      clock: try SystemClock(),
      machineKeySlots: slots
    )
  }

  /// The vaults of an engine of the machine that has just started.
  func service(_ tpm: any TPMSealing) throws -> Vaults {
    let state = try Directory.make(path: path)
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: state),
      owner: .machine,
      tpm: tpm,
      beside: { work in work() }
    )
    let users = Users(try UserDirectories(in: state, path: path))
    let made: @Sendable (UInt32, StateDirectory) throws -> Vault = { user, directory in
      try Self.vault(directory, user, slots)
    }
    return Vaults(
      opening: { user, name in try made(user, try users.directories.open(user, named: name)) },
      name: { "user\($0)" },
      care: UserAccounts(
        find: { try users.directories.find($0) },
        list: { try users.directories.list() },
        open: { user in
          try users.directories.openAsItIs(user).map { (try made(user, $0.directory), $0.owner) }
        },
        remove: { try users.directories.remove($0) }
      ),
      slots: slots
    )
  }

  /// The vault of an engine of one user that has just started.
  func privately(
    _ tpm: any TPMSealing,
    keys: any SecurityKeySealing = NoSecurityKeys()
  ) throws -> Vaults {
    let state = try StateDirectory(path: path)
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: state.root),
      owner: .user(ThisProcess.user),
      tpm: tpm,
      keys: keys,
      beside: { work in work() }
    )
    let open: @Sendable () throws -> Vault = {
      try Self.vault(state, ThisProcess.user, slots)
    }
    return Vaults(
      try? open(),
      of: ThisProcess.user,
      slots: slots,
      opener: { _, _ in try open() }
    )
  }
}

extension Vaults {
  /// Makes the vaults of these users, each with one finger, and closes them.
  func makeVaults(of users: UInt32...) async throws {
    for user in users {
      let caller = Caller(connection: UInt64(user), user: user, requester: "a test")
      try await use(of: user) { vault throws(VaultFailure) in
        try await passing(vault, caller) { prompt throws(VaultFailure) in
          _ = try await vault.enroll("left-thumb", prompt: prompt, caller: caller) { _ in }
        }
      }
    }
    await retireAll(within: 60)
  }

  /// The fingers of a user's vault, which show that it opens.
  func fingers(of user: UInt32) async throws -> [String] {
    let caller = Caller(connection: 9, user: user, requester: "a test")
    return try await use(of: user) { vault throws(VaultFailure) in
      try await vault.facts(for: caller).fingers
    }
  }
}

/// Makes a call, and passes the check that it asks for.
@discardableResult
func passing<Value: Sendable>(
  _ vault: Vault,
  _ caller: Caller,
  _ call: (String?) async throws(VaultFailure) -> Value
) async throws(VaultFailure) -> Value {
  do throws(VaultFailure) {
    return try await call(nil)
  } catch .presenceNeeded(let need) {
    _ = try await vault.check(need.prompt, by: .password, caller: caller) { _ in }
    return try await call(need.prompt)
  }
}
