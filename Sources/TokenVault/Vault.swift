internal import Configuration
internal import Cryptography
public import OAuth
public import Presence
internal import SecretMemory
public import Storage
public import System

/// The engine: the accounts of one owner, the gate, the refresh transaction, the unlock window and
/// the audit trail.
///
/// One actor, so that each database transaction is one step. Whoever waits inside it (for an
/// exchange, a person, an orphaned courier) holds no transaction, and looks again afterwards.
public actor Vault {
  let directory: StateDirectory
  let store: Store
  let deviceSecret: SealingKey
  let auditKey: SealingKey
  /// Sixteen random bytes, made with the store: a box of another vault does not open here.
  let identifier: [UInt8]
  let owner: UInt32
  let exchange: any TokenExchange
  let check: any PresenceCheck
  let clock: any VaultClock

  var window: UnlockWindow?
  var prompts = PromptBook()
  var checks: [String: any CheckConversation] = [:]
  var enrollments: [UInt64: any EnrollmentConversation] = [:]
  var followers: [String: [CheckedContinuation<PresenceOutcome?, Never>]] = [:]
  var spenders: [String: [CheckedContinuation<Void, Never>]] = [:]
  var flights: [[UInt8]: Task<Result<AccessGrant, VaultFailure>, Never>] = [:]
  var queues: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
  var refusals: [String: Int] = [:]

  /// Opens the vault in a state directory, or makes it there.
  ///
  /// - Parameters:
  ///   - directory: checked and locked.
  ///   - owner: the uid whose vault this is; it stands in every box.
  /// - Throws: `vaultUnsafe` with the remedy where the store or the device secret is damaged,
  ///   newer, or not safe. Nothing is changed then.
  public init(
    directory: consuming StateDirectory,
    owner: UInt32,
    exchange: any TokenExchange,
    check: any PresenceCheck,
    clock: any VaultClock
  ) throws(VaultFailure) {
    self.owner = owner
    self.exchange = exchange
    self.check = check
    self.clock = clock
    do throws(StorageError) {
      let store = try Store(directory: directory)
      let sealed = try store.containsSealedBoxes()
      let secret = try DeviceSecretFile.load(in: directory, mayCreate: !sealed)
      self.store = store
      self.directory = directory
      do throws(CryptographyError) {
        deviceSecret = try SealingKey(secret)
        auditKey = try deviceSecret.derived(for: "audit", context: [])
      } catch {
        throw VaultFailure.unexpected("the device secret cannot be used: \(error)")
      }
    } catch {
      throw VaultFailure(error)
    }
  }
}
