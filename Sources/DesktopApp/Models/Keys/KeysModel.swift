internal import GTK
internal import Observation
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The keys of the vault on the screen: how its device secret is kept, and the security keys.
@Observable
@MainActor
final class KeysModel {
  /// What the page shows.
  enum Pane {
    case overview
    /// The form for a security key, or its enrollment.
    case key
    /// A slot of the machine key that is added.
    case slot
    /// A backup: the form, its progress, or what it holds.
    case backup
    /// A backup that is restored: the form, the wait, or what was restored.
    case restore
  }

  /// An enrollment of a security key that runs.
  struct Enrollment: Equatable {
    let name: String
    /// Whether the key waits for a touch.
    var isLit = false
  }

  /// How long the engine may take for the touch of a new key, in seconds.
  nonisolated private static let touchLimit: Int64 = 60

  /// What needs no open vault.
  private struct Kept: Sendable, Equatable {
    let isPrivate: Bool
    let secret: DeviceSecretStatusReply
  }

  private(set) var pane = Pane.overview
  /// How the device secret is kept; `nil` before the first look.
  var secret: DeviceSecretStatusReply? { kept.reply?.secret }
  /// Whether the vault is the person's own, so that they may change its slots.
  var isPrivate: Bool { kept.reply?.isPrivate == true }
  /// The enrolled security keys; `nil` before the first look.
  var keys: [VaultSecurityKey]? { listed.reply }
  private(set) var enrollment: Enrollment?
  /// Why the person's last act did not work, or else the last look.
  var trouble: Trouble? { actTrouble ?? kept.trouble ?? listed.trouble }
  private var actTrouble: Trouble?

  /// The slot that is added.
  let slot: SlotModel
  let backup: BackupModel
  /// The model of the pane `restore`; `nil` while another pane is shown.
  private(set) var restore: RestoreModel?
  /// Whether the page must open the file chooser for a restore.
  var wantsBackup = false
  let vault: VaultModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let kept: VaultLook<Kept>
  @ObservationIgnored
  private let listed: VaultLook<[VaultSecurityKey]>
  @ObservationIgnored
  private var stop: SharedWake?
  @ObservationIgnored
  private let changes = CallQueue()
  /// How many backups the person has chosen.
  @ObservationIgnored
  private var reads = 0
  /// How often the person has left what the page shows.
  @ObservationIgnored
  private var departures = 0

  init(_ link: VaultLink?, of vault: VaultModel) {
    (self.link, self.vault) = (link, vault)
    slot = SlotModel(link)
    backup = BackupModel(link, of: vault)
    kept = VaultLook(link) { connection throws(VaultClientError) in
      Kept(
        isPrivate: try Self.isPrivate(link?.location, connection),
        secret: try connection.call(DeviceSecretStatusCall())
      )
    }
    listed = VaultLook(link) { connection throws(VaultClientError) in
      try connection.call(ListKeysCall()).keys
    }
  }

  /// Whether a vault is private.
  ///
  /// The location says so if possible, because a closed vault tells no status.
  nonisolated private static func isPrivate(
    _ location: VaultLocation?,
    _ connection: Connection
  ) throws(VaultClientError) -> Bool {
    switch location {
    case .privateVault: true
    case .service, nil: false
    case .socket: try connection.call(GetStatusCall()).form == .private
    }
  }

  /// Reads the keys again.
  func look() async {
    await kept.again()
    guard kept.trouble == nil else { return }
    await listed.again()
  }

  /// Shows the overview again, and ends what runs.
  func cancel() {
    departures += 1
    stop?.event.signal()
    slot.cancel()
    backup.cancel()
    restore?.leave()
    restore = nil
    pane = .overview
  }

  // MARK: Security keys

  /// Shows the form for another security key.
  func beginEnrollment() {
    guard enrollment == nil else { return }
    (pane, actTrouble) = (.key, nil)
  }

  /// A name for the next key that no key has.
  var freeName: String {
    let names = Set((keys ?? []).map(\.name))
    return FreeName.near("security-key", isTaken: names.contains)
  }

  /// Enrolls the security key that is plugged in: asks for the system password, then for a touch.
  func enroll(_ name: String, pin: SharedSecret?) async {
    guard let link, enrollment == nil else { return }
    (enrollment, actTrouble) = (Enrollment(name: name), nil)
    let (replies, next) = AsyncStream<EnrollKeyReply>.makeStream()
    let shows = Task {
      for await reply in replies where reply.event == .waiting { enrollment?.isLit = true }
    }
    var isEnrolled = false
    do throws(VaultClientError) {
      let stop = try SharedWake.made()
      self.stop = stop
      try await link.call(again: .untilPrompted, interrupt: stop) {
        connection,
        prompt throws(VaultClientError) in
        let call = EnrollKeyCall(key: name, pin: pin, prompt: prompt, ask: true)
        try connection.stream(call, within: Self.touchLimit) { next.yield($0) }
      }
      isEnrolled = true
      vault.news = tr("Security key enrolled")
    } catch {
      if case .interrupted = error {} else { actTrouble = Trouble(error) }
    }
    next.finish()
    await shows.value
    (enrollment, stop) = (nil, nil)
    // After a failure the form is there for another try.
    if isEnrolled { pane = .overview }
    await look()
  }

  /// Removes a security key after a check by the system password.
  func remove(_ key: VaultSecurityKey) async {
    let name = key.name
    actTrouble = nil
    await changes.run(at: vault) {
      await change(tr("Security key removed")) { connection, prompt throws(VaultClientError) in
        _ = try connection.call(RemoveKeyCall(key: name, prompt: prompt, ask: true))
      }
    }
  }

  // MARK: Backup

  /// Shows the form for a backup.
  func beginBackup() {
    if pane == .overview { (pane, actTrouble) = (.backup, nil) }
  }

  /// Shows the form for the restore of a backup that the person has chosen.
  func beginRestore(_ path: String) async {
    guard let link, pane == .overview, !vault.isHidden else { return }
    // A later choice replaces an earlier one whose file is still being read.
    reads += 1
    let before = (reads, departures)
    actTrouble = nil
    let copy: BackupCopy?
    let failure: Trouble?
    do throws(RestoreRun.Failure) {
      (copy, failure) = (try await BackupCopy.read(path), nil)
    } catch {
      (copy, failure) = (nil, RestoreModel.trouble(error))
    }
    // The person may have opened another part during the read, or left the page.
    guard pane == .overview, (reads, departures) == before else { return }
    actTrouble = failure
    guard let copy else { return }
    restore = RestoreModel(copy, over: link)
    pane = .restore
  }

  /// Tells that the chosen file cannot be used.
  func refuseFile() { report(.unusableFile) }

  /// Shows what the person has left to do, or what did not work.
  func report(_ trouble: Trouble) { actTrouble = trouble }

  // MARK: Slots

  /// Adds a slot of the TPM or a security key, or a recovery code.
  ///
  /// A new code replaces the earlier ones.
  func add(_ kind: SlotKind) async {
    let before = departures
    await changes.run(at: vault) {
      if departures == before { await addNow(kind) }
    }
  }

  private func addNow(_ kind: SlotKind) async {
    let former = kind == .recovery ? slots(.recovery).map(\.id) : []
    (pane, actTrouble) = (.slot, nil)
    let outcome = await slot.add(kind)
    await look()
    pane = .overview
    switch outcome {
    case .added(let reply):
      vault.news =
        switch kind {
        case .tpm: tr("TPM added")
        case .recovery: tr("Recovery code added")
        case .securityKey: tr("Security key added")
        }
      if let problem = reply.counterProblem { actTrouble = Self.withoutCounter(problem) }
      for id in former { await removeFormerCode(id) }
    case .failed(let failure): actTrouble = failure
    }
  }

  private func removeFormerCode(_ id: String) async {
    let isRemoved = await removeNow(slot: id)
    guard !isRemoved else { return }
    let reason = actTrouble?.text ?? ""
    actTrouble = Trouble(
      Clause(tr("The earlier recovery code still opens the vault. Remove its slot.")),
      advice: reason.isEmpty ? nil : Clause(reason, .sentence)
    )
  }

  /// Removes a slot after a check by the system password.
  func remove(slot id: String) async {
    actTrouble = nil
    await changes.run(at: vault) { await removeNow(slot: id) }
  }

  /// Does that now; tells whether the slot is gone.
  @discardableResult
  private func removeNow(slot id: String) async -> Bool {
    await change(tr("Slot removed")) { connection, prompt throws(VaultClientError) in
      _ = try connection.call(RemoveSlotCall(slot: id, prompt: prompt, ask: true))
    }
  }

  /// The slots of a kind.
  func slots(_ kind: SlotKind) -> [VaultMachineSlot] {
    (secret?.slots ?? []).filter { $0.kind == kind }
  }

  static func withoutCounter(_ problem: String) -> Trouble {
    Trouble(
      Clause(tr("The TPM has no counter: an old copy of the whole directory is not detected.")),
      advice: ErrorWords.translated(problem)
    )
  }

  private func change(
    _ news: String,
    _ body: @escaping @Sendable (Connection, String?) throws(VaultClientError) -> Void
  ) async -> Bool {
    guard let link else { return false }
    var isDone = false
    do throws(VaultClientError) {
      try await link.call(again: .untilPrompted, body)
      isDone = true
      vault.news = news
    } catch {
      actTrouble = Trouble(error)
    }
    await look()
    return isDone
  }
}
