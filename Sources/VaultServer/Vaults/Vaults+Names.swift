internal import System
internal import TokenVault

// Whether a uid still belongs to the person that a vault was opened for.
extension Vaults {
  /// Whether the user is still the one that the vault was opened for, by the user name.
  ///
  /// The name is looked up once for a connection that outlasts the last lookup. If it differs, the
  /// vault is closed.
  func recognizes(
    _ recognition: Recognition?,
    of user: UInt32,
    in opened: Opened
  ) async throws(VaultFailure) -> Bool {
    guard let recognition, !isRecognized(recognition, of: user, in: opened) else { return true }
    let now = BootInstant.now
    // A failed lookup says nothing about the previous user.
    guard let name = try await name(of: user) else {
      throw .refused("user \(user) has no name on this machine")
    }
    guard name == opened.name else {
      await dismiss(opened, of: user)
      return false
    }
    recognition.note(opened.number, by: now)
    return true
  }

  /// Whether a connection belongs to the user that the vault was opened for, without a slow lookup.
  func isRecognized(_ recognition: Recognition, of user: UInt32, in opened: Opened) -> Bool {
    if recognition.isSettled(for: opened.number) { return true }
    guard let found = names.recent(of: user), found.name == opened.name else { return false }
    recognition.note(opened.number, by: found.begun)
    return true
  }

  /// The name that a user has now, as far as it can be found.
  func look(for user: UInt32) async -> Result<String?, SystemError> {
    do throws(SystemError) {
      return .success(try await names.name(of: user))
    } catch {
      return .failure(error)
    }
  }

  func name(of user: UInt32) async throws(VaultFailure) -> String? {
    do throws(SystemError) {
      return try await names.name(of: user)
    } catch {
      throw .unexpected("the name of user \(user) cannot be looked up: \(error)")
    }
  }
}
