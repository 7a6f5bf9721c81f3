internal import Storage
internal import Synchronization
internal import System
internal import TokenVault

// How a vault is opened, on a thread of its own.
extension Vaults {
  /// Opens a vault on a thread of its own, for all callers that wait for it.
  func opened(_ user: UInt32) async -> Result<Opened, VaultFailure> {
    let result: Result<(Vault, String?), VaultFailure>
    do throws(VaultFailure) {
      let name = try await name(of: user)
      result = await open(user, name).map { ($0, name) }
    } catch {
      result = .failure(error)
    }
    return state.withLock { state in
      switch result {
      case .success((let vault, let name)):
        if onlyUser == nil { state.openings += 1 }
        let opened = Opened(vault: vault, name: name, number: state.openings)
        state.entries[user]?.phase = .open(opened)
        return .success(opened)
      case .failure(let error):
        // The next call tries again.
        state.entries[user] = nil
        return .failure(error)
      }
    }
  }

  private func open(_ user: UInt32, _ name: String?) async -> Result<Vault, VaultFailure> {
    guard let opener else { return .failure(.refused("this vault is another user's")) }
    return await opening { try opener(user, name) }.mapError { error in
      switch error {
      case let failure as VaultFailure: failure
      case let error as StorageError: VaultFailure(error)
      default: .unexpected("the vault cannot be opened: \(error)")
      }
    }
  }

  /// Opens a vault on a thread of its own.
  ///
  /// Two engines are impossible here. A vault in use is our own one, which was closed and still
  /// ends, so the opening waits for it.
  func opening<Value: Sendable>(
    _ open: @escaping @Sendable () throws -> Value
  ) async -> Result<Value, any Error> {
    var tries = 0
    while true {
      let opened: Result<Value, any Error>
      do throws(SystemError) {
        opened = try await onThread { Result { try open() } }
      } catch {
        return .failure(error)
      }
      guard case .failure(StorageError.inUse) = opened, tries < Self.mostTries else {
        return opened
      }
      tries += 1
      try? await Task.sleep(nanoseconds: 50_000_000)
    }
  }
}
