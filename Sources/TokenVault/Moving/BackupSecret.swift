internal import BackupFormat
internal import Cryptography
internal import MachineKey
package import SecretMemory

/// The secret with which a person seals or opens a backup.
package enum BackupSecret: Sendable {
  /// The key that the client has made of a passphrase, 32 bytes.
  case key(SharedSecret)
  /// A recovery code, as it was typed.
  case code(SharedSecret)
}

extension Vault {
  /// The boxes of a backup.
  ///
  /// - Throws: `invalidArgument` if the secret is not of the header's kind.
  func boxes(
    _ header: BackupHeader,
    _ secret: BackupSecret
  ) throws(VaultFailure) -> BackupBoxes {
    let key: SharedSecret
    switch (secret, header.lock) {
    case (.key(let given), .passphrase):
      guard given.bytes.count == SealingKey.count else {
        throw .invalidArgument("a key of a backup has \(SealingKey.count) bytes")
      }
      key = given
    case (.code(let typed), .recoveryCode):
      key = try backupSecret(try recoveryCode(typed), header)
    case (.key, .recoveryCode):
      throw .invalidArgument("this backup opens with its recovery code, not with a passphrase")
    case (.code, .passphrase):
      throw .invalidArgument("this backup opens with its passphrase, not with a recovery code")
    }
    do throws(CryptographyError) {
      return try BackupBoxes(key.bytes, header)
    } catch {
      throw .invalidArgument("the key of the backup cannot be used: \(error)")
    }
  }

  func recoveryCode(_ typed: SharedSecret) throws(VaultFailure) -> RecoveryCode {
    do throws(RecoveryCode.Flaw) {
      return try RecoveryCode.typed(typed.bytes)
    } catch {
      throw VaultFailure(error)
    }
  }

  private func backupSecret(
    _ code: RecoveryCode,
    _ header: BackupHeader
  ) throws(VaultFailure) -> SharedSecret {
    do throws(RecoveryCode.Flaw) {
      return try code.backupSecret(salt: header.salt)
    } catch {
      throw VaultFailure(error)
    }
  }

  /// Reads the header of a backup.
  func header(of bytes: [UInt8]) throws(VaultFailure) -> BackupHeader {
    do throws(BackupHeader.Flaw) {
      return try BackupHeader(parsing: bytes)
    } catch {
      throw .invalidArgument("\(error)")
    }
  }
}
