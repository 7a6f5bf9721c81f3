import OAuth
import Presence
import PresenceTerms
import SecretMemory
import Storage
import Synchronization
import System
import TestSupport
import Testing
import TokenVault

@testable import VaultServer

/// The effect of a vault's removal on its prints on a reader.
@Suite(.timeLimit(.minutes(10)))
struct ReaderPrintRemovalTests {
  /// A reader that gives a print at once, and a PAM stack that accepts any password.
  private final class Reader: PresenceChecker {
    private struct Door: CheckConversation {
      func next() async -> CheckEvent { .matched }
      func respond(_ text: SharedSecret) async {}
      func cancel() {}
    }

    private struct Taking: EnrollmentConversation {
      let finger: String

      func next() async -> EnrollmentEvent {
        guard let print = try? SecretBytes(copying: Array("print of \(finger)".utf8)) else {
          return .failed(.notAvailable("no memory for a secret"))
        }
        return .done(print: SharedSecret(print), driver: "scripted", device: "1")
      }
      func keep() {}
      func cancel() {}
    }

    /// The deletions, in order.
    ///
    /// `removed` takes the role of the vault.
    let events = Mutex<[String]>([])
    private let answer: PrintDeletion

    init(_ answer: PrintDeletion) { self.answer = answer }

    func prepare() async -> (any PreparedCheck)? { nil }

    func start(
      _ attempt: PresenceAttempt,
      of caller: Caller
    ) async throws(PresenceFailure) -> any CheckConversation {
      guard case .password = attempt else { throw .notAvailable("") }
      return Door()
    }

    func enroll(
      _ request: EnrollmentRequest
    ) async throws(PresenceFailure) -> any EnrollmentConversation { Taking(finger: request.finger) }

    func delete(_ print: LoadedPrint) async -> PrintDeletion {
      events.withLock { $0.append(print.finger) }
      return answer
    }

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

  private static let user: UInt32 = 1000
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func vault(_ reader: Reader) throws -> Vault {
    try Vault(
      directory: try StateDirectory(try Directory.make(path: scratch.path + "/vault")),
      owner: Self.user,
      exchange: NoExchange(),
      check: reader,
      clock: try SystemClock()
    )
  }

  /// The vaults of a machine with a single vault, which is closed and has one finger.
  private func vaults(_ reader: Reader) async throws -> Vaults {
    let vault = try vault(reader)
    let caller = Caller(connection: 1, user: Self.user, requester: "a test")
    func enroll(_ prompt: String?) async throws {
      _ = try await vault.enroll("left-thumb", prompt: prompt, caller: caller) { _ in }
    }
    do {
      try await enroll(nil)
    } catch VaultFailure.presenceNeeded(let need) {
      _ = try await vault.check(need.prompt, by: .password, caller: caller) { _ in }
      try await enroll(need.prompt)
    }
    await vault.retire()
    return Vaults(
      opening: { _, _ in throw VaultFailure.unexpected("root alone calls") },
      name: { _ in nil },
      care: UserAccounts(
        find: { _ in FoundUsers(uids: [Self.user], unread: []) },
        list: { [Self.user] },
        open: { _ in (try self.vault(reader), "ada") },
        remove: { _ in reader.events.withLock { $0.append("removed") } }
      )
    )
  }

  private static let root = Caller(connection: 2, user: 0, requester: "root")

  /// A reader that compares prints itself would refuse that finger for every other user.
  @Test
  func thePrintsAreDeletedOnTheReaderBeforeTheStoreGoes() async throws {
    let reader = Reader(.gone)
    let vaults = try await vaults(reader)
    let removed = try await vaults.remove(user: "ada", account: nil, caller: Self.root)
    #expect(reader.events.withLock { $0 } == ["left-thumb", "removed"])
    #expect(removed.name == "ada" && removed.onReader == nil)
  }

  @Test
  func whatStaysOnTheReaderIsSaidAndTheStoreGoesAllTheSame() async throws {
    let reader = Reader(.left("it is not plugged in"))
    let vaults = try await vaults(reader)
    let removed = try await vaults.remove(user: "ada", account: nil, caller: Self.root)
    #expect(reader.events.withLock { $0 } == ["left-thumb", "removed"])
    #expect(removed.onReader == "left-thumb: it is not plugged in")
  }

  @Test
  func aVaultThatDoesNotOpenMayHavePrintsOnAReader() async throws {
    let vaults = Vaults(
      opening: { _, _ in throw VaultFailure.unexpected("root alone calls") },
      name: { _ in nil },
      care: UserAccounts(
        find: { _ in FoundUsers(uids: [Self.user], unread: []) },
        list: { [Self.user] },
        open: { _ in throw VaultFailure.unexpected("damaged") },
        remove: { _ in }
      )
    )
    let removed = try await vaults.remove(user: "1000", account: nil, caller: Self.root)
    #expect(removed.accounts == nil && removed.onReader == "the stored prints could not be read")
  }
}
