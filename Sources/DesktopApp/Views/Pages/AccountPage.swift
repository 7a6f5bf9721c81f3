internal import GTK
internal import PresenceTerms
internal import VaultInterface

/// The page of one account.
@MainActor
final class AccountPage: ContentPage {
  let widget: Widget
  private let model: VaultModel
  private let item: AccountItem
  private let window: Window
  private let trouble: Label
  private let facts: [(row: Row, text: (AccountWords) -> String?)]
  private let protected: Switch
  private let name: EntryRow
  private let recent: Widget
  private let uses: ListBox
  private var useRows: [Row] = []
  private let signIn: Button
  private let signOut: Button
  private let remove: Button
  private let waiting: Widget
  private let spinner: Spinner
  private let progress: Label
  private let cancel: Button
  /// Whether the view sets the switch, and not the person.
  private var isSetting = false

  init(
    _ item: AccountItem,
    _ model: VaultModel,
    in window: Window,
    signIn begin: @escaping @MainActor () -> Void
  ) {
    self.item = item
    self.model = model
    self.window = window
    let builder = Builder(ui: PackageResources.account_ui)
    widget = builder.object("account")
    trouble = builder.object("trouble")
    facts = [
      (builder.object("person"), { $0.person }), (builder.object("email"), { $0.email }),
      (builder.object("subject"), { $0.subject }), (builder.object("role"), { $0.role }),
      (builder.object("provider"), { $0.provider }), (builder.object("issuer"), { $0.issuer }),
      (
        builder.object("state"),
        { words in [words.state, words.cause].compactMap(\.self).joined(separator: ": ") }
      ),
      (builder.object("expiry"), { $0.expiry }), (builder.object("refreshed"), { $0.refreshed }),
      (builder.object("scopes"), { $0.scopes }), (builder.object("missing"), { $0.missing }),
    ]
    protected = builder.object("protected")
    name = builder.object("name")
    recent = builder.object("recent")
    uses = builder.object("uses")
    signIn = builder.object("sign-in")
    signOut = builder.object("sign-out")
    remove = builder.object("remove")
    waiting = builder.object("waiting")
    spinner = builder.object("spinner")
    progress = builder.object("progress")
    cancel = builder.object("cancel")
    name.text = item.name
    if words.isStatic { speakOfSecret(builder) }
    connect()
    signIn.onClick(begin)
    track { [weak self] in self?.update() }
    track { [weak self] in self?.updateUses() }
    track { [weak self] in self?.updateProgress() }
  }

  /// A secret has no refresh, and no access token beside it.
  private func speakOfSecret(_ builder: Builder) {
    let (expiry, stored): (Row, Row) = (builder.object("expiry"), builder.object("refreshed"))
    let protection: Row = builder.object("protection")
    (expiry.title, stored.title) = (tr("Secret"), tr("Stored"))
    protection.subtitle = tr("Each use needs your finger or your password.")
  }

  private func connect() {
    protected.onTurn { [weak self] in
      guard let self, !isSetting else { return }
      let isOn = protected.isOn
      Task { [model, item] in
        await model.protect(item, isOn)
        // The switch shows the vault's answer, also if it is no.
        self.update()
      }
    }
    name.onApply { [weak self] in
      guard let self else { return }
      let wanted = name.text
      Task { [model, item] in
        await model.rename(item, to: wanted)
        // Also after a check that was denied, which is no trouble.
        self.name.text = item.name
      }
    }
    cancel.onClick { [item] in item.cancel() }
    signOut.onClick { [weak self] in
      guard let self else { return }
      confirm(
        tr("Sign out of “%s”?", words.name),
        erasure ?? tr("The tokens are erased here, and the provider is told."),
        act: tr("Sign Out")
      ) { await $0.signOut($1) }
    }
    remove.onClick { [weak self] in
      guard let self else { return }
      confirm(
        tr("Remove “%s”?", words.name),
        erasure ?? tr("The account is signed out, and its tokens are erased here."),
        act: tr("Remove")
      ) { await $0.remove($1) }
    }
  }

  private var words: AccountWords { AccountWords(account: item.account) }

  /// What the end of a static account means; `nil` if the account has a login.
  private var erasure: String? {
    guard words.isStatic else { return nil }
    guard !words.isOfSecretService else { return tr("The secret is erased here.") }
    return tr("The secret is erased here. It stays valid at its host until you revoke it.")
  }

  private func update() {
    // The row of the expiry changes with it.
    _ = item.validity
    let words = words
    for (row, text) in facts {
      let shown = text(words)
      row.subtitle = shown ?? ""
      row.isVisible = shown != nil
    }
    isSetting = true
    protected.isOn = item.account.presenceProtection
    isSetting = false
    // A control that is not sensitive loses the focus, and the person their place. So only this one
    // changes, and passes the focus on; a call during another one waits for its turn.
    let isSignedOut = item.account.state == .signedOut
    // A form cannot bring a secret.
    signIn.isVisible = words.isOut && !words.isStatic
    if isSignedOut, signOut.isFocused { (words.isStatic ? remove : signIn).focus() }
    signOut.isSensitive = !isSignedOut
    // The state of the account may change while the person reads on.
    trouble.show(orHide: item.trouble?.text ?? words.remedy, reveals: item.trouble != nil)
  }

  /// Shows a call that waits for the provider, and the button that gives it up.
  private func updateProgress() {
    let isWaiting = item.progress != nil
    progress.text = item.progress ?? ""
    spinner.isSpinning = isWaiting
    guard isWaiting != waiting.isVisible else { return }
    if cancel.isFocused { remove.focus() }
    waiting.isVisible = isWaiting
    if isWaiting { waiting.reveal() }
  }

  private func updateUses() {
    for row in useRows { uses.remove(row) }
    useRows = item.uses.map { record in
      let row = Row()
      (row.title, row.subtitle) = (ActivityWords(record: record).title, record.when)
      row.limitLines(title: 2, subtitle: 3)
      uses.insert(row, at: -1)
      return row
    }
    recent.isVisible = !useRows.isEmpty
  }

  /// Asks before something that cannot be undone.
  private func confirm(
    _ question: String,
    _ body: String,
    act: String,
    _ then: @escaping @MainActor (VaultModel, AccountItem) async -> Void
  ) {
    let dialog = MessageDialog(over: window, act: act, isDangerous: true)
    dialog.heading = question
    dialog.body = body
    dialog.ask { [model, item] isMeant in
      if isMeant { Task { await then(model, item) } }
    }
  }
}
