internal import BackupClient
internal import BackupFormat
internal import GTK
internal import Observation
internal import PlainText
internal import Providers
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The restore of a backup on the screen.
@Observable
@MainActor
final class RestoreModel {
  /// What the running restore does now; `nil` if none runs.
  private(set) var step: RestoreRun.Step?
  /// Why the last try did not work.
  private(set) var trouble: Trouble?
  /// What was restored.
  private(set) var outcome: RestoreRun.Outcome?
  /// The chosen backup.
  private(set) var copy: BackupCopy?

  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private var stop: SharedWake?

  init(_ link: VaultLink?) { self.link = link }

  /// Reads the chosen backup; tells what is wrong with it.
  func open(_ path: String) async -> Trouble? {
    (copy, outcome, trouble) = (nil, nil, nil)
    do throws(RestoreRun.Failure) {
      copy = try await BackupCopy.read(path)
      return nil
    } catch {
      return Self.trouble(error)
    }
  }

  /// Restores the accounts by the passphrase or the recovery code.
  func restore(by secret: SharedSecret) async {
    guard let link, let copy, step == nil else { return }
    (step, trouble) = (.asking, nil)
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

  /// Gives the running restore up.
  func cancel() { stop?.event.signal() }

  private static func trouble(_ failure: RestoreRun.Failure) -> Trouble? {
    switch failure {
    case .file(let error): Trouble("\(error)", advice: tr("Choose another file."))
    case .noBackup(let flaw): Trouble("\(flaw)", advice: tr("Choose another file."))
    case .passphrase(let error): Trouble("\(error)")
    case .provider(let error): Trouble("\(error)", advice: error.remedy)
    case .vault(.interrupted): nil
    case .vault(let error): Trouble(error)
    }
  }

  // MARK: Words

  /// The title of the field for the secret.
  var secretTitle: String {
    switch copy?.header.lock {
    case .recoveryCode: tr("Recovery code")
    case .passphrase, nil: tr("Passphrase of the backup")
    }
  }

  /// The chosen file, safe to show.
  var file: String { PlainText.line(copy?.path ?? "", limit: 300) }

  /// What the running restore does, in words.
  var progress: String {
    switch step {
    case .makingKey: tr("Making the passphrase into a key…")
    case .asking: tr("Restoring the accounts. The vault may ask for your system password.")
    case nil: ""
    }
  }
}

extension RestoreRun.Outcome {
  /// The accounts that are new here.
  var new: [VaultRestoredAccount] { accounts.filter { !$0.exists } }

  /// How many accounts there are now, in words.
  var words: String {
    let isWhole = new.count == accounts.count
    let restored = ntr("%d account restored.", "%d accounts restored.", new.count)
    guard !isWhole else { return restored }
    let others = ntr(
      "%d account was there and stays as it is.",
      "%d accounts were there and stay as they are.",
      accounts.count - new.count
    )
    return restored + " " + others
  }

  /// What is wrong with the files of providers, in words; `nil` if nothing is.
  var problem: String? {
    guard !problems.isEmpty else { return nil }
    return problems.map { problem in
      Trouble(tr("a provider is not kept for later sign-ins: %s", problem)).text
    }.joined(separator: " ")
  }
}
