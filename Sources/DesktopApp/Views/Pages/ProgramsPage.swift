internal import GTK
internal import PlainText
internal import VaultInterface

/// The rules for programs that act without a person.
@MainActor
final class ProgramsPage: ContentPage {
  let widget: Widget
  private let model: ProgramsModel
  private let window: Window
  private let trouble: Label
  private let pages: Stack
  private let about: Label
  private let list: Box
  private let sockets: Group
  private let subject: EntryRow
  private let testTrouble: Label
  private let answers: ListBox
  private var groups: [Group] = []
  private var rows: [Row] = []
  private var socketRows: [Row] = []
  private var following: Task<Void, Never>?

  init(_ model: ProgramsModel, of vault: VaultModel, in window: Window) {
    (self.model, self.window) = (model, window)
    let builder = Builder(ui: PackageResources.programs_ui)
    widget = builder.object("programs")
    trouble = builder.object("trouble")
    pages = builder.object("pages")
    about = builder.object("about")
    list = builder.object("rules")
    sockets = builder.object("sockets")
    subject = builder.object("subject")
    testTrouble = builder.object("test-trouble")
    answers = builder.object("answers")
    subject.onApply { [weak self] in self?.test() }
    // Enter applies only another text.
    subject.onEnter { [weak self] in self?.test() }
    track { [weak self] in self?.updateRules() }
    track { [weak self] in self?.updateSockets() }
    track { [weak self] in self?.updateTest() }
    track { [weak self] in
      guard let self else { return }
      trouble.show(orHide: model.trouble?.text)
    }
    track { [weak self] in
      guard self != nil, vault.changes >= 0 else { return }
      Task { await model.look() }
    }
    following = Task { [model] in await model.followSockets() }
  }

  isolated deinit {
    following?.cancel()
    model.forgetTest()
  }

  private func test() {
    let typed = subject.text
    Task { [model] in await model.test(typed) }
  }

  private func updateRules() {
    for group in groups { list.remove(group) }
    groups = []
    guard let reply = model.rules else {
      pages.page = "loading"
      return
    }
    guard let file = reply.file else {
      pages.page = "private"
      return
    }
    pages.page = "service"
    let location = PlainText.line(file, limit: 300)
    about.text =
      (reply.rules.isEmpty
        ? tr("No rule yet: each program gets what you get.")
        : tr("If several rules apply to a program, the strictest value of each limit counts."))
      + " " + tr("The administrator writes rules in %s and in conf.d beside it.", location) + " "
      + tr("You can add your own at a terminal: thumblatch policy caller.NAME.KEY VALUE.")
    groups = reply.rules.map { group($0, location) }
    for group in groups { list.append(group) }
  }

  private func group(_ rule: VaultCallerRule, _ file: String) -> Group {
    let name = PlainText.line(rule.name, limit: 64)
    let group = Group(title: name)
    group.text =
      rule.own ? tr("Your own rule") : tr("Set by the administrator in %s or in conf.d", file)
    if !CallerRuleWords.sayForWhom(rule.settings) {
      let row = Row()
      row.set(style: "fact", true)
      row.limitLines(title: 0, subtitle: 0)
      row.title = tr("Holds for")
      row.subtitle = tr("Restricted sockets that name this rule")
      group.add(row)
    }
    for setting in CallerRuleWords.all(of: rule.settings) {
      let row = Self.row(setting.title, setting.text)
      if rule.own {
        let button = row.addButton(
          icon: "user-trash-symbolic",
          name: tr("Remove “%s” from the rule %s", setting.title, name)
        )
        button.onClick { [weak self] in self?.confirmRemoval(of: setting, from: rule) }
      }
      group.add(row)
    }
    return group
  }

  private static func row(_ title: String, _ text: String) -> Row {
    let row = Row()
    row.set(style: "fact", true)
    row.limitLines(title: 0, subtitle: 0)
    (row.title, row.subtitle) = (title, text)
    return row
  }

  private func confirmRemoval(of setting: CallerRuleWords, from rule: VaultCallerRule) {
    let dialog = MessageDialog(over: window, act: tr("Remove"), isDangerous: true)
    dialog.heading = tr(
      "Remove “%s” from the rule %s?",
      setting.title,
      PlainText.line(rule.name, limit: 64)
    )
    dialog.body =
      setting.text + "\n\n"
      + (rule.settings.count == 1
        ? tr("It is the only setting, so the rule goes too.")
        : tr("The rest of the rule stays."))
      + " " + tr("This needs your system password, and locks the vault.")
    dialog.ask { [model] isMeant in
      if isMeant { Task { await model.remove(setting.key, of: rule.name) } }
    }
  }

  private func updateSockets() {
    for row in socketRows { sockets.remove(row) }
    socketRows = model.sockets.map { socket in
      let row = Row()
      row.limitLines(title: 0, subtitle: 0)
      (row.title, row.subtitle) = (socket.title, socket.text)
      return row
    }
    for row in socketRows { sockets.add(row) }
    sockets.isVisible = !socketRows.isEmpty
  }

  private func updateTest() {
    for row in rows { answers.remove(row) }
    testTrouble.show(orHide: model.testTrouble?.text)
    rows = []
    if let answer = model.answer {
      let reply = answer.reply
      let title = tr("Rules that apply to %s", PlainText.line(answer.subject, limit: 100))
      rows.append(Self.row(title, reply.words))
      if Int(answer.subject) != nil { rows.append(Self.row(tr("It runs in"), reply.location)) }
      rows += CallerRuleWords.all(of: reply.limits).map { Self.row($0.title, $0.text) }
    }
    for row in rows { answers.insert(row, at: -1) }
    answers.isVisible = !rows.isEmpty
    if answers.isVisible { answers.reveal() }
  }
}
