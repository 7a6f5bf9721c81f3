import Dispatch
import SecretMemory
import Synchronization

@testable import TokenVault

/// The way to a service whose vault is in this process; it breaks at a step of a handover.
final class LinkedService: ServiceTransfer {
  /// Where a call breaks.
  enum Cut: Sendable, Equatable {
    /// The request does not arrive.
    case request
    /// The answer does not arrive.
    case answer
  }

  enum Step: Sendable, Hashable {
    case open
    case fetch
    case end
  }

  static let lost = VaultFailure.providerUnavailable("no answer")

  private let vault: Vault
  private let cuts = Mutex<[Step: Cut]>([:])
  /// Is called when an answer of this step is about to arrive.
  private let watch: @Sendable (Step) -> Void
  private let fetched = Mutex<[[UInt8]]>([])

  init(_ vault: Vault, watch: @escaping @Sendable (Step) -> Void = { _ in }) {
    self.vault = vault
    self.watch = watch
  }

  /// From now on, calls of this step break here.
  func cut(_ step: Step, _ cut: Cut?) { cuts.withLock { $0[step] = cut } }

  /// The bytes that were handed over.
  var all: [[UInt8]] { fetched.withLock { $0 } }

  private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
  }

  private func run<Value: Sendable>(
    _ step: Step,
    _ body: @escaping @Sendable () async throws -> Value
  ) throws(VaultFailure) -> Value {
    let cut = cuts.withLock { $0[step] }
    if cut == .request { throw Self.lost }
    // The vault that waits has given this thread to the call.
    let done = DispatchSemaphore(value: 0)
    let answer = Answer<Value>()
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      answer.value.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    if cut == .answer { throw Self.lost }
    watch(step)
    guard let result = answer.value.withLock({ $0 }) else { throw Self.lost }
    do { return try result.get() } catch let error as VaultFailure { throw error } catch {
      throw .unexpected("\(error)")
    }
  }

  func openHandOver(socket: String?) throws(VaultFailure) -> OpenHandOver? {
    let vault = vault
    return try run(.open) { try await vault.openHandOver() }
  }

  func handOver(
    _ key: SharedSecret,
    vault name: [UInt8],
    socket: String?
  ) throws(VaultFailure) -> [UInt8] {
    let vault = vault
    let file = try run(.fetch) { try await vault.handOver(key, to: name) }
    fetched.withLock { $0.append(file) }
    return file
  }

  func endHandOver(
    transfer: [UInt8],
    receipt: SharedSecret?,
    socket: String?
  ) throws(VaultFailure) -> Bool {
    let vault = vault
    return try run(.end) {
      try await vault.endHandOver(transfer, receipt: receipt, caller: caller(9))
    }
  }

  func accountNames(socket: String?) throws(VaultFailure) -> [String] { [] }

  func send(
    _ accounts: [UInt8],
    key: SharedSecret,
    transfer: [UInt8],
    socket: String?
  ) throws(TransferFailure) { throw TransferFailure(Self.lost, mayBeTaken: false) }

  func drop(transfer: [UInt8], socket: String?) throws(VaultFailure) -> Bool { throw Self.lost }
}
