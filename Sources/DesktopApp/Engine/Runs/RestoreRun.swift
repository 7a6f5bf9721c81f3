internal import BackupClient
internal import BackupFormat
internal import Configuration
internal import Providers
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// A backup file that was read.
struct BackupCopy: Sendable {
  let path: String
  let bytes: [UInt8]
  let header: BackupHeader

  /// Reads a file on a thread of its own: it may be on a network.
  static func read(_ path: String) async throws(RestoreRun.Failure) -> BackupCopy {
    let failure = { @Sendable (error: SystemError) in RestoreRun.Failure.vault(.system(error)) }
    return try await onThread(orElse: failure) { () throws(RestoreRun.Failure) in
      let bytes: [UInt8]
      do throws(BackupFileError) { bytes = try BackupFile.read(path) } catch { throw .file(error) }
      do throws(BackupHeader.Flaw) {
        return BackupCopy(path: path, bytes: bytes, header: try BackupHeader(parsing: bytes))
      } catch {
        throw .noBackup(error)
      }
    }
  }
}

/// A restore that runs on its own thread.
///
/// Accounts that exist in the vault are not changed.
struct RestoreRun: Sendable {
  /// What it does now.
  enum Step: Sendable, Equatable {
    /// The passphrase becomes a key.
    case makingKey
    /// The engine or a check is awaited.
    case asking
  }

  enum Failure: Error {
    case file(BackupFileError)
    case noBackup(BackupHeader.Flaw)
    case passphrase(BackupPassphrase.Failure)
    /// The provider of an account in the backup is not valid.
    case provider(ConfigurationError)
    case providerFile(ProviderFileError)
    /// Whether the accounts were restored is not known.
    case unclear
    case vault(VaultClientError)
  }

  /// What was restored.
  struct Outcome: Sendable {
    /// An account of the backup.
    struct Account: Sendable {
      let name: String
      let provider: String
      /// Whether the account keeps a static secret (`thumblatch store`), and has no sign-in.
      let isStatic: Bool
      let isSignedIn: Bool
      /// Whether the vault had an account of this name, which was not changed.
      let isOld: Bool
    }

    let accounts: [Account]
    /// The providers that got a file.
    var added: [String] = []
    /// The providers that got none, each with the reason as a clause.
    var missing: [(provider: String, reason: String)] = []

    init(_ accounts: [VaultRestoredAccount]) {
      self.accounts = accounts.map { account in
        Account(
          name: account.name,
          provider: account.provider.name,
          isStatic: account.provider.settings["kind"] == Provider.Kind.static.rawValue,
          isSignedIn: account.signedIn,
          isOld: account.exists
        )
      }
    }
  }

  /// How long the engine may take, in seconds.
  private static let limit: Int64 = 150

  let copy: BackupCopy
  /// The passphrase, or the recovery code.
  let secret: SharedSecret
  /// Cancels the restore.
  ///
  /// The failure is `unclear` if the call may have reached the vault and no answer came.
  let stop: SharedWake
  let tell: @Sendable (Step) -> Void

  /// Restores the accounts.
  func run(over link: VaultLink) async throws(Failure) -> Outcome {
    let outcome: Result<Outcome, Failure>
    do throws(VaultClientError) {
      outcome = try await link.onThread(interrupt: stop) { calls throws(VaultClientError) in
        Result { () throws(Failure) in try self.restore(by: calls, asking: link.desk.asker) }
      }
    } catch {
      throw .vault(error)
    }
    return try outcome.get()
  }

  private func restore(
    by calls: VaultCalls,
    asking asker: PresenceAsker
  ) throws(Failure) -> Outcome {
    let (key, code) = try keyAndCode()
    tell(.asking)
    let examination = RestoreCall(backupKey: key, code: code, examine: true, skipExisting: true)
    let found: [VaultRestoredAccount]
    do throws(VaultClientError) {
      for part in SendBackupCall.parts(of: copy.bytes) {
        // Another engine does not have the earlier parts.
        _ = try calls.run(again: part.offset == 0 ? .always : .never, asking: asker) {
          connection,
          _ throws(VaultClientError) in
          try connection.call(part)
        }
      }
      found = try calls.run(again: .never, asking: asker) {
        connection,
        _ throws(VaultClientError) in
        try Self.accounts(examination, on: connection)
      }
    } catch {
      throw .vault(error)
    }
    // This comes before the change, because a later sign-in would use a file with other settings.
    let (directories, missing) = try missingFiles(found)
    var outcome = Outcome(found)
    if found.contains(where: { !$0.exists }) {
      outcome = Outcome(try change(examination, calls, asker))
    }
    // An earlier restore may have ended before it wrote these files.
    for file in missing {
      let name = file.provider.name.text
      if let problem = Self.write(file, to: directories) {
        outcome.missing.append((name, problem))
      } else {
        outcome.added.append(name)
      }
    }
    return outcome
  }

  /// Makes the call that restores the accounts.
  private func change(
    _ examination: RestoreCall,
    _ calls: VaultCalls,
    _ asker: PresenceAsker
  ) throws(Failure) -> [VaultRestoredAccount] {
    var call = examination
    (call.examine, call.ask) = (false, true)
    var isSent = false
    do throws(VaultClientError) {
      return try calls.run(again: .never, asking: asker) {
        connection,
        prompt throws(VaultClientError) in
        // Until here, nothing has changed if the person cancels.
        _ = try Connection.wait(for: -1, interrupt: stop.event.descriptor.number, until: .now)
        call.prompt = prompt
        isSent = true
        do throws(VaultClientError) {
          return try Self.accounts(call, on: connection)
        } catch {
          if case .refused = error { isSent = false }
          throw error
        }
      }
    } catch {
      throw isSent ? .unclear : .vault(error)
    }
  }

  private func keyAndCode() throws(Failure) -> (SharedSecret?, SharedSecret?) {
    guard case .passphrase = copy.header.lock else { return (nil, secret) }
    tell(.makingKey)
    do throws(BackupPassphrase.Failure) {
      return (try BackupPassphrase.key(of: secret.bytes, copy.header), nil)
    } catch {
      throw .passphrase(error)
    }
  }

  private static func accounts(
    _ call: RestoreCall,
    on connection: Connection
  ) throws(VaultClientError) -> [VaultRestoredAccount] {
    var accounts: [VaultRestoredAccount] = []
    try connection.stream(call, within: limit) { reply in
      if let account = reply.account { accounts.append(account) }
    }
    return accounts
  }

  // MARK: - Provider files

  private func missingFiles(
    _ accounts: [VaultRestoredAccount]
  ) throws(Failure) -> (ProviderDirectories, [MissingProviderFile]) {
    var providers: [BackedUpAccount] = []
    for account in accounts {
      do throws(ConfigurationError) {
        providers.append(
          BackedUpAccount(
            name: account.name,
            provider: try account.provider.provider(),
            staysAsItIs: account.exists
          )
        )
      } catch {
        throw .provider(error)
      }
    }
    do throws(ProviderFileError) {
      let directories = try ProviderDirectories(environment: { ThisProcess.environment($0) })
      return (directories, try directories.missingFiles(for: providers))
    } catch {
      throw .providerFile(error)
    }
  }

  /// Writes the file of a provider; returns the reason if it is not written.
  private static func write(
    _ file: MissingProviderFile,
    to directories: ProviderDirectories
  ) -> String? {
    if let problem = file.problem { return problem }
    do throws(ProviderFileError) {
      try directories.add(file.provider)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
