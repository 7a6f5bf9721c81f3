internal import BackupClient
internal import BackupFormat
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// A backup that is made on its thread.
struct BackupRun: Sendable {
  /// What it does now.
  enum Step: Sendable, Equatable {
    /// The passphrase becomes a key.
    case makingKey
    /// The engine or a check is awaited.
    case asking
    /// This many accounts are copied.
    case copying(Int)
  }

  enum Failure: Error {
    case file(BackupFileError)
    case passphrase(BackupPassphrase.Failure)
    case vault(VaultClientError)
  }

  /// How long the engine may take for the next account, in seconds.
  private static let limit: Int64 = 150

  /// Where the file is to be; the person has agreed to replace one that is there.
  let path: String
  let passphrase: SharedSecret
  /// Ends it, before the file is written.
  let stop: SharedWake
  let tell: @Sendable (Step) -> Void

  /// Makes the backup; returns its accounts.
  func run(over link: VaultLink) async throws(Failure) -> [VaultBackupAccount] {
    let outcome: Result<[VaultBackupAccount], Failure>
    do throws(VaultClientError) {
      outcome = try await link.onThread(interrupt: stop) { calls throws(VaultClientError) in
        Result { () throws(Failure) in try self.make(by: calls, asking: link.desk.asker) }
      }
    } catch {
      throw .vault(error)
    }
    return try outcome.get()
  }

  private func make(
    by calls: VaultCalls,
    asking asker: PresenceAsker
  ) throws(Failure) -> [VaultBackupAccount] {
    let file: BackupFile
    do throws(BackupFileError) {
      file = try BackupFile(new: path, replacing: true)
    } catch {
      throw .file(error)
    }
    tell(.makingKey)
    let header = BackupPassphrase.newHeader(.passphrase(.standard))
    let key: SharedSecret
    do throws(BackupPassphrase.Failure) {
      key = try BackupPassphrase.key(of: passphrase.bytes, header)
    } catch {
      throw .passphrase(error)
    }
    tell(.asking)
    let (bytes, accounts) = try copy(header, key, calls, asker)
    do throws(BackupFileError) { try file.write(bytes) } catch { throw .file(error) }
    return accounts
  }

  private func copy(
    _ header: BackupHeader,
    _ key: SharedSecret,
    _ calls: VaultCalls,
    _ asker: PresenceAsker
  ) throws(Failure) -> ([UInt8], [VaultBackupAccount]) {
    do throws(VaultClientError) {
      let copied = try calls.run(again: .untilPrompted, asking: asker) {
        connection,
        prompt throws(VaultClientError) in
        var bytes: [UInt8] = []
        var accounts: [VaultBackupAccount] = []
        let call = BackupCall(header: header.encoded, backupKey: key, prompt: prompt, ask: true)
        try connection.stream(call, within: Self.limit) { reply in
          bytes += reply.bytes
          guard let account = reply.account else { return }
          accounts.append(account)
          tell(.copying(accounts.count))
        }
        return (bytes, accounts)
      }
      // The last moment at which the person may give up.
      _ = try Connection.wait(for: -1, interrupt: stop.event.descriptor.number, until: .now)
      return copied
    } catch {
      throw .vault(error)
    }
  }
}
