internal import GTK
internal import PlainText
internal import VaultInterface

/// The settings of the vault: what the person may set, and what the administrator has set.
@MainActor
final class SettingsPage: ContentPage {
  let widget: Widget
  private let model: SettingsModel
  private let trouble: Label
  private let switches: [(key: AppSettings.Key, widget: Switch)]
  private let locking: Row
  private let start: AutostartRow
  private let accounts: Group
  private let own: Group
  private let fixed: Group
  private let account: ValueRow
  private var rules: [(key: String, row: ValueRow)] = []
  private var facts: [Row] = []
  /// Whether the view sets a switch, and not the person.
  private var isSetting = false

  init(_ model: SettingsModel) {
    self.model = model
    let builder = Builder(ui: PackageResources.settings_ui)
    widget = builder.object("settings")
    trouble = builder.object("trouble")
    switches = [
      (.hidesInactive, builder.object("inactive")), (.hidesLocked, builder.object("locked")),
    ]
    locking = builder.object("locking")
    start = AutostartRow(builder, model.autostart)
    accounts = builder.object("accounts")
    own = builder.object("own")
    fixed = builder.object("fixed")
    account = ValueRow(tr("Default account, if a program names none")) { [model] name in
      if let name { await model.makeDefault(name) }
    }
    accounts.add(account.widget)
    track { [weak self] in self?.updateAccounts() }
    track { [weak self] in self?.updateRules() }
    for (key, widget) in switches {
      widget.onTurn { [weak self] in self?.turned(key) }
    }
    track { [weak self] in self?.updatePrivacy() }
    track { [weak self] in
      guard let self else { return }
      let all = [model.privacy.trouble, model.trouble].compactMap(\.?.text)
      trouble.show(orHide: all.isEmpty ? nil : all.joined(separator: "\n"))
    }
    track { [weak self] in
      guard self != nil, model.vault.changes >= 0 else { return }
      Task { await model.look() }
    }
  }

  private func turned(_ key: AppSettings.Key) {
    guard !isSetting, let widget = switches.first(where: { $0.key == key })?.widget else { return }
    Task {
      await model.privacy.set(key, widget.isOn)
      // The switch shows what holds, also if the change failed.
      updatePrivacy()
    }
  }

  private func updatePrivacy() {
    let privacy = model.privacy
    isSetting = true
    for (key, widget) in switches { widget.isOn = privacy.settings[key] }
    isSetting = false
    locking.subtitle =
      privacy.lockTrouble?.text ?? tr("They show again after a presence check.")
  }

  private func updateAccounts() {
    let items = model.vault.items
    accounts.isVisible = !items.isEmpty
    let names = items.map(\.name)
    let texts = items.map { AccountWords(account: $0.account).name }
    guard let chosen = items.firstIndex(where: { $0.account.isDefault }) else {
      // A row with one value offers no choice.
      return account.show([nil] + names, [tr("No account")] + texts, chosen: 0)
    }
    account.show(names, texts, chosen: chosen)
  }

  private func updateRules() {
    guard let policy = model.policy else { return }
    let all = policy.rules.map(RuleWords.init).filter(\.isShown)
    let known = RuleWords.order.compactMap { key in all.first { $0.rule.key == key } }
    let sorted = known + all.filter { !RuleWords.order.contains($0.rule.key) }
    showChoices(sorted.filter { !$0.values.isEmpty })
    showFacts(sorted.filter(\.values.isEmpty))
    fixed.text =
      policy.file != nil
      ? tr("The administrator of this machine sets these.")
      : tr("These are fixed in a vault of your own.")
  }

  private func showChoices(_ words: [RuleWords]) {
    if words.map(\.rule.key) != rules.map(\.key) {
      for (_, row) in rules { own.remove(row.widget) }
      rules = words.map { words in
        let key = words.rule.key
        let row = ValueRow(words.title) { [model] value in
          await model.set(key, to: value)
        }
        own.add(row.widget)
        return (key, row)
      }
    }
    for ((_, row), words) in zip(rules, words) {
      let values = words.values
      row.show(values, values.map(words.choice), chosen: values.firstIndex(of: words.rule.own))
    }
    own.isVisible = !words.isEmpty
  }

  private func showFacts(_ words: [RuleWords]) {
    for row in facts { fixed.remove(row) }
    facts = words.map { words in
      let row = Row()
      (row.title, row.subtitle) = (words.title, words.valueInEffect)
      row.limitLines(title: 0, subtitle: 0)
      row.set(style: "fact", true)
      fixed.add(row)
      return row
    }
    fixed.isVisible = !words.isEmpty
  }
}
