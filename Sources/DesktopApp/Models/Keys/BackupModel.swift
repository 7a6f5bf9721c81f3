internal import BackupClient
internal import GTK
internal import Observation
internal import PlainText
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// Backups of the vault on the screen.
@Observable
@MainActor
final class BackupModel {
  /// A backup that was made.
  struct Made: Equatable {
    let path: String
    let accounts: [VaultBackupAccount]
    /// Its time in the audit log, in seconds since 1970; `nil` if that could not be read.
    let time: Int?
  }

  /// How far back the last backup is looked for, in seconds.
  nonisolated private static let longestPast: Int64 = 366 * 86_400

  /// What the running backup does now; `nil` if none runs.
  private(set) var step: BackupRun.Step?
  /// What is wrong with the passphrase, and whether with its second entry.
  private(set) var problem: (text: String, isOfSecond: Bool)?
  /// Why the last backup was not made.
  private(set) var trouble: Trouble?
  /// The backup that was made last, while the app runs.
  private(set) var made: Made?
  /// When the last backup was made, in seconds since 1970; `nil` if the audit log tells of none.
  private(set) var last: Int?

  let vault: VaultModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private var stop: SharedWake?

  init(_ link: VaultLink?, of vault: VaultModel) {
    (self.link, self.vault) = (link, vault)
  }

  /// Looks for the last backup in the audit log.
  func look() async {
    guard let link else { return }
    let call = AuditCall(since: Int(WallTime.now.seconds - Self.longestPast))
    // Without an answer the page says that no backup is known.
    last = try? await link.call { connection, _ throws(VaultClientError) in
      var last: Int?
      try connection.stream(call) { reply in
        guard let record = reply.record else { return }
        if record.event == "backup", record.outcome == "done" { last = record.time }
      }
      return last
    }
  }

  /// Forgets what an earlier form has shown.
  func begin() { (problem, trouble) = (nil, nil) }

  /// Tells that the chosen file cannot be used.
  func refuseFile() { trouble = .unusableFile }

  /// Whether both entries are the same passphrase, and one that a backup may have.
  func accepts(_ first: SharedSecret, _ second: SharedSecret) -> Bool {
    trouble = nil
    if BackupPassphrase.isTooShort(first.bytes) {
      let count = BackupPassphrase.fewest
      problem = (
        ntr("Type at least %d character.", "Type at least %d characters.", count), false
      )
    } else if !SecretBytes.constantTimeEqual(first.bytes, second.bytes) {
      problem = (tr("The two passphrases differ."), true)
    } else {
      problem = nil
    }
    return problem == nil
  }

  /// Makes a backup; tells whether the file is there.
  func make(_ path: String, _ passphrase: SharedSecret) async -> Bool {
    guard let link, step == nil else { return false }
    (step, trouble) = (.makingKey, nil)
    defer { (step, stop) = (nil, nil) }
    let (steps, next) = AsyncStream<BackupRun.Step>.makeStream()
    let shows = Task {
      for await step in steps { self.step = step }
    }
    var accounts: [VaultBackupAccount]?
    do throws(BackupRun.Failure) {
      let stop = try Self.makeStop()
      self.stop = stop
      let run = BackupRun(path: path, passphrase: passphrase, stop: stop) { next.yield($0) }
      accounts = try await run.run(over: link)
    } catch {
      trouble = Self.trouble(error)
    }
    next.finish()
    await shows.value
    guard let accounts else { return false }
    await look()
    made = Made(path: path, accounts: accounts, time: last)
    return true
  }

  /// Gives the running backup up: no file is written.
  func cancel() { stop?.event.signal() }

  private static func makeStop() throws(BackupRun.Failure) -> SharedWake {
    do throws(VaultClientError) { return try SharedWake.made() } catch { throw .vault(error) }
  }

  static func trouble(_ failure: BackupRun.Failure) -> Trouble? {
    switch failure {
    case .file(let error):
      Trouble(ErrorWords.translated("\(error)"), advice: tr("Choose another file."))
    case .passphrase(let error):
      Trouble(ErrorWords.translated("\(error)"), advice: tr("type another one"))
    case .vault(.interrupted): nil
    case .vault(let error): Trouble(error)
    }
  }

  // MARK: Words

  /// What the running backup does, in words.
  var progress: String {
    switch step {
    case .makingKey: tr("Deriving the key from the passphrase…")
    case .asking: tr("Waiting for your system password…")
    case .copying(let count): ntr("%d account copied", "%d accounts copied", count)
    case nil: ""
    }
  }

  /// The done part of it, from 0 to 1.
  var share: Double {
    guard case .copying(let count) = step else { return 0 }
    return min(1, Double(count) / Double(max(1, vault.items.count)))
  }

  /// The last backup, in words.
  var lastWords: String {
    let time = last.map { LocalTime.text($0) }
    // Another program may have made a later one.
    guard let made, made.time == last else { return time ?? tr("None is known.") }
    return [time, PlainText.line(made.path, limit: 300)].compactMap(\.self).joined(separator: "\n")
  }
}

extension BackupModel.Made {
  /// What the file holds, in words.
  var words: String {
    let tokens = accounts.count { $0.reason == nil }
    return ntr("%d account", "%d accounts", accounts.count) + ", "
      + ntr("%d of them with its refresh token", "%d of them with their refresh token", tokens)
  }
}
