internal import BackupClient
internal import BackupFormat
internal import Configuration
internal import GTK
internal import Observation
internal import PlainText
internal import Providers
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The restore of one backup on the screen.
@Observable
@MainActor
final class RestoreModel {
  /// What the running restore does now; `nil` if none runs.
  private(set) var step: RestoreRun.Step?
  /// Why the last try did not work.
  private(set) var trouble: Trouble?
  /// What was restored.
  private(set) var outcome: RestoreRun.Outcome?

  private let copy: BackupCopy
  @ObservationIgnored
  private let link: VaultLink
  @ObservationIgnored
  private var stop: SharedWake?
  /// Whether the person has left the page.
  @ObservationIgnored
  private var isLeft = false

  init(_ copy: BackupCopy, over link: VaultLink) { (self.copy, self.link) = (copy, link) }

  /// Restores the accounts by the passphrase or the recovery code.
  func restore(by secret: SharedSecret) async {
    guard step == nil, !isLeft else { return }
    (step, trouble) = (copy.header.lock == .recoveryCode ? .asking : .makingKey, nil)
    let (steps, next) = AsyncStream<RestoreRun.Step>.makeStream()
    let shows = Task {
      for await step in steps { self.step = step }
    }
    do throws(RestoreRun.Failure) {
      let stop: SharedWake
      do throws(VaultClientError) { stop = try SharedWake.made() } catch { throw .vault(error) }
      self.stop = stop
      let run = RestoreRun(copy: copy, secret: secret, stop: stop) { next.yield($0) }
      outcome = try await run.run(over: link)
    } catch {
      trouble = Self.trouble(error)
    }
    next.finish()
    await shows.value
    (step, stop) = (nil, nil)
  }

  /// Cancels the running restore.
  func cancel() { stop?.event.signal() }

  /// Cancels the running restore, and makes none any more.
  func leave() {
    isLeft = true
    cancel()
  }

  /// Why a backup was not read or not restored; `nil` if the person cancelled.
  static func trouble(_ failure: RestoreRun.Failure) -> Trouble? {
    switch failure {
    case .file(let error):
      Trouble(ErrorWords.translated("\(error)"), advice: tr("Choose another file."))
    case .noBackup(let flaw):
      Trouble(ErrorWords.translated("\(flaw)"), advice: tr("Choose another file."))
    case .passphrase(let error):
      Trouble(ErrorWords.translated("\(error)"), advice: tr("type another one"))
    case .provider(let error):
      Trouble(
        tr("the backup has a provider that cannot be used: %s", ErrorWords.clause("\(error)")),
        advice: tr("Choose another file.")
      )
    case .providerFile(let error): Trouble(english: "\(error)", advice: error.remedy)
    case .unclear:
      Trouble(
        tr("it is not known whether the accounts were restored"),
        advice: tr("look at the list of accounts, then restore the backup again")
      )
    case .vault(.interrupted): nil
    case .vault(let error): Trouble(error)
    }
  }

  // MARK: Words

  /// The title of the field for the secret.
  var secretTitle: String {
    switch copy.header.lock {
    case .recoveryCode: tr("Recovery code")
    case .passphrase: tr("Passphrase of the backup")
    }
  }

  /// The chosen file, safe to show.
  var file: String { PlainText.line(copy.path, limit: 300) }

  /// What the running restore does, in words.
  var progress: String {
    switch step {
    case .makingKey: tr("Deriving the key from the passphrase…")
    case .asking: tr("Restoring the accounts. The vault may ask for your system password.")
    case nil: ""
    }
  }
}

extension RestoreRun.Outcome {
  /// The accounts that were restored.
  var restored: [Account] { accounts.filter { !$0.isOld } }

  var title: String {
    restored.isEmpty ? tr("Nothing Was Restored") : tr("Backup Restored")
  }

  /// The restored accounts and the added provider files, in words.
  var words: String {
    let count = restored.count
    let old = accounts.filter(\.isOld).map(\.name)
    let lines = [
      ntr("%d account restored.", "%d accounts restored.", count),
      old.isEmpty ? nil : tr("These accounts existed and were not changed: %s", Self.line(old)),
      added.isEmpty ? nil : tr("Provider files added for later sign-ins: %s", Self.line(added)),
    ]
    return lines.compactMap(\.self).joined(separator: "\n")
  }

  /// The providers without a file, in words; `nil` if there is none.
  var problem: String? {
    guard !missing.isEmpty else { return nil }
    return missing.map { file in
      Trouble(
        tr(
          "the provider file of %s was not written: %s",
          file.provider,
          ErrorWords.clause(file.reason)
        )
      ).text
    }.joined(separator: " ")
  }

  private static func line(_ names: [String]) -> String {
    PlainText.line(names.joined(separator: ", "), limit: 600)
  }
}

extension RestoreRun.Outcome.Account {
  /// How the person replaces the missing secret, in words.
  var remedy: String {
    if provider == Provider.secretServiceName {
      return tr("The program that uses it stores it again.")
    }
    // Not translated: a command.
    let command = "thumblatch store " + PlainText.line(name, limit: 64)
    return isStatic
      ? tr("Store its secret again, in a terminal: %s", command)
      : tr("Sign in at %s.", PlainText.line(provider, limit: 64))
  }
}
