internal import GTK
internal import PlainText
internal import VaultInterface

/// How the vault is locked to this computer: device secret, recovery code, security keys.
@MainActor
final class KeysPage: ContentPage {
  let widget: Widget
  private let model: KeysModel
  private let window: Window
  private let trouble: Label
  private let place: Bin
  private let overview: Widget
  private let secret: Group
  private let kept: Row
  private let tpm: Row
  private let addTPM: Button
  private let slotKey: Row
  private let addSlotKey: Button
  private let copies: Row
  private let slots: Group
  private let recovery: Group
  private let code: Row
  private let makeCode: Button
  private let keys: Group
  private let noKey: Row
  private let addKey: Button
  private let last: Row
  private let backUp: Button
  private let chooseBackup: Button
  private var slotRows: [Row] = []
  private var keyRows: [Row] = []
  /// The part beside the overview, which lives as long as it is shown.
  private var key: KeyView?
  private var slot: SlotView?
  private var backup: BackupView?
  private var restore: RestoreView?
  private var dialog: FileDialog?
  private var shown: KeysModel.Pane?

  init(_ model: KeysModel, in window: Window) {
    (self.model, self.window) = (model, window)
    let builder = Builder(ui: PackageResources.keys_ui)
    widget = builder.object("keys")
    trouble = builder.object("trouble")
    place = builder.object("place")
    overview = builder.object("overview")
    secret = builder.object("secret")
    kept = builder.object("kept")
    tpm = builder.object("tpm")
    addTPM = tpm.addButton(label: tr("Add…"))
    addTPM.isVisible = false
    slotKey = builder.object("slot-key")
    addSlotKey = slotKey.addButton(label: tr("Add…"))
    copies = builder.object("copies")
    slots = builder.object("slots")
    recovery = builder.object("recovery")
    code = builder.object("code")
    makeCode = builder.object("make-code")
    keys = builder.object("security-keys")
    noKey = builder.object("no-key")
    addKey = builder.object("add-key")
    last = builder.object("last")
    backUp = builder.object("back-up")
    let restoring: Row = builder.object("restoring")
    chooseBackup = restoring.addButton(label: tr("Choose…"))
    connect()
    track { [weak self] in self?.updateSecret() }
    track { [weak self] in self?.updateKeys() }
    track(
      reading: { [weak self] in self.map(\.model.pane) },
      apply: { [weak self] in self?.show($0) }
    )
    track { [weak self, model] in
      // Another part stays until the person has left it.
      guard let self, model.wantsBackup, model.pane == .overview else { return }
      model.wantsBackup = false
      askForBackup()
    }
    follow()
  }

  isolated deinit {
    dialog?.close()
    model.cancel()
  }

  private func connect() {
    addKey.onClick { [model] in model.beginEnrollment() }
    addTPM.onClick { [weak self] in self?.confirmTPM() }
    addSlotKey.onClick { [weak self] in self?.confirmSlotKey() }
    makeCode.onClick { [weak self] in self?.confirmCode() }
    backUp.onClick { [model] in model.beginBackup() }
    chooseBackup.onClick { [weak self] in self?.askForBackup() }
    chooseBackup.name(tr("Choose the backup to restore"))
    addKey.name(tr("Enroll security key"))
    addTPM.name(tr("Add TPM"))
    addSlotKey.name(tr("Let a security key open the vault"))
    makeCode.name(tr("Replace recovery code"))
  }

  private func follow() {
    let (model, vault) = (model, model.vault)
    track { [weak self] in self?.last.subtitle = model.backup.lastWords }
    Task { await model.backup.look() }
    track { [weak self] in
      guard let self else { return }
      trouble.show(orHide: model.trouble?.text)
    }
    track { [weak self] in
      // The vault locks: what the person no longer sees must not go on.
      guard let self, vault.isHidden else { return }
      dialog?.close()
      dialog = nil
      model.cancel()
    }
    track { [weak self] in
      guard self != nil, vault.changes >= 0 else { return }
      Task { await model.look() }
    }
  }

  /// Shows a part, and takes the others out of the tree.
  private func show(_ pane: KeysModel.Pane) {
    guard pane != shown else { return }
    let isFirst = shown == nil
    shown = pane
    let former = focusAfter
    (key, slot, backup, restore) = (nil, nil, nil, nil)
    switch pane {
    case .overview: place.child = overview
    case .key:
      let view = KeyView(model)
      (key, place.child) = (view, view.widget)
      view.focus()
    case .slot:
      let view = SlotView(model.slot)
      (slot, place.child) = (view, view.widget)
      view.focus()
    case .backup:
      let view = BackupView(model.backup, in: window) { [model] in model.cancel() }
      (backup, place.child) = (view, view.widget)
      view.focus()
    case .restore:
      guard let chosen = model.restore else { return }
      let view = RestoreView(chosen) { [model] in model.cancel() }
      (restore, place.child) = (view, view.widget)
      view.focus()
    }
    // The focus left the tree with the other part.
    if pane == .overview, !isFirst { former.focus() }
  }

  /// The button that has shown the part beside the overview.
  private var focusAfter: Button {
    if slot != nil { return makeCode.isVisible ? makeCode : addTPM.isVisible ? addTPM : addKey }
    return backup != nil ? backUp : restore != nil ? chooseBackup : addKey
  }

  // MARK: The overview

  private func updateSecret() {
    for row in slotRows { slots.remove(row) }
    slotRows = []
    for group in [secret, recovery] { group.isVisible = model.secret != nil }
    guard let status = model.secret else { return }
    let words = SecretWords(status: status)
    kept.subtitle = words.kept
    show(words.tpm, in: tpm)
    show(words.copies, in: copies)
    code.subtitle = words.code
    addTPM.isVisible = model.isPrivate && words.canAddTPM
    slotKey.isVisible = model.isPrivate && words.canAddKey
    makeCode.isVisible = model.isPrivate && words.canMakeCode
    slotRows = status.slots.map { self.row($0) }
    for row in slotRows { slots.add(row) }
    slots.isVisible = !slotRows.isEmpty
    slots.text =
      model.isPrivate
      ? tr("Each of these opens the vault, together with its directory.")
      : tr("The administrator of this computer adds and removes them.")
  }

  private func show(_ text: String?, in row: Row) {
    row.subtitle = text ?? ""
    row.isVisible = text != nil
  }

  private func row(_ slot: VaultMachineSlot) -> Row {
    let row = Row()
    (row.title, row.subtitle) = (slot.title, slot.facts)
    row.limitLines(title: 0, subtitle: 0)
    guard model.isPrivate else { return row }
    let id = PlainText.line(slot.id, limit: 64)
    let remove = row.addButton(icon: "user-trash-symbolic", name: tr("Remove slot %s", id))
    remove.onClick { [weak self] in self?.confirmRemoval(of: slot) }
    return row
  }

  private func updateKeys() {
    for row in keyRows { keys.remove(row) }
    keyRows = []
    keys.isVisible = model.keys != nil
    guard let listed = model.keys else { return }
    keyRows = listed.map { key in
      let row = Row()
      let name = PlainText.line(key.name, limit: 64)
      (row.title, row.subtitle) = (name, tr("Added %s", LocalTime.text(key.enrolledAt)))
      row.limitLines(title: 0, subtitle: 0)
      let remove = row.addButton(icon: "user-trash-symbolic", name: tr("Remove %s", name))
      remove.onClick { [weak self] in self?.confirmRemoval(of: key) }
      keys.add(row)
      return row
    }
    noKey.isVisible = keyRows.isEmpty
  }

  // MARK: Questions

  private func askForBackup() {
    guard dialog == nil else { return }
    let dialog = FileDialog(over: window, title: tr("Backup to Restore"), opening: tr("Open"))
    self.dialog = dialog
    dialog.ask { [weak self, model] answer in
      guard let self else { return }
      self.dialog = nil
      switch answer {
      case .path(let path): Task { await model.beginRestore(path) }
      case .unusable: model.refuseFile()
      case .none: break
      }
    }
  }

  private func ask(
    _ heading: String,
    _ body: String,
    _ act: String,
    isDangerous: Bool = true,
    _ then: @escaping @MainActor (KeysModel) async -> Void
  ) {
    let dialog = MessageDialog(over: window, act: act, isDangerous: isDangerous)
    (dialog.heading, dialog.body) = (heading, body)
    dialog.ask { [model] isMeant in
      if isMeant { Task { await then(model) } }
    }
  }

  private func confirmRemoval(of key: VaultSecurityKey) {
    ask(
      tr("Remove “%s”?", PlainText.line(key.name, limit: 64)),
      tr("The key passes no presence check afterwards. This needs your system password."),
      tr("Remove")
    ) { await $0.remove(key) }
  }

  private func confirmRemoval(of slot: VaultMachineSlot) {
    ask(
      tr("Remove the slot “%s”?", slot.title),
      tr(
        "It opens no later copy of the vault. An earlier copy of the directory still opens with it. This needs your system password."
      ),
      tr("Remove")
    ) { await $0.remove(slot: slot.id) }
  }

  private func confirmTPM() {
    ask(
      tr("Add the TPM of This Computer?"),
      tr(
        "The vault then opens only here, or with the recovery code that is shown once. If you lose both, the vault is lost. Copies from before still open: delete them. This needs your system password."
      ),
      tr("Add"),
      isDangerous: false
    ) { await $0.add(.tpm) }
  }

  private func confirmSlotKey() {
    ask(
      tr("Let a Security Key Open the Vault?"),
      tr(
        "Plug in the key, and no other one. Without a TPM the vault then opens only by a touch of the key, or with the recovery code that is shown once. If you lose both, the vault is lost. Copies from before still open: delete them. This needs your system password."
      ),
      tr("Add"),
      isDangerous: false
    ) { await $0.add(.securityKey) }
  }

  private func confirmCode() {
    ask(
      tr("Replace the Recovery Code?"),
      tr(
        "A new code is shown once. Then the earlier one is removed. Both need your system password."
      ),
      tr("Replace"),
      isDangerous: false
    ) { await $0.add(.recovery) }
  }
}
