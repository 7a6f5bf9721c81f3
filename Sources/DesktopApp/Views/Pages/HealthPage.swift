internal import Doctor
internal import GTK
internal import PlainText

/// What the doctor finds, the worst first.
@MainActor
final class HealthPage: ContentPage {
  let widget: Widget
  private let model: HealthModel
  private let trouble: Label
  private let summary: Label
  private let list: ListBox
  private let again: Button
  private let spinner: Spinner
  private let window: Window
  private let signIn: @MainActor (AccountItem) -> Void
  private let recover: @MainActor () -> Void
  private var rows: [Row] = []

  /// Makes the page; `signIn` shows the sign-in to an account, and `recover` the field for the
  /// recovery code.
  init(
    _ model: HealthModel,
    in window: Window,
    signIn: @escaping @MainActor (AccountItem) -> Void,
    recover: @escaping @MainActor () -> Void
  ) {
    (self.model, self.window) = (model, window)
    (self.signIn, self.recover) = (signIn, recover)
    let builder = Builder(ui: PackageResources.health_ui)
    widget = builder.object("health")
    trouble = builder.object("trouble")
    summary = builder.object("summary")
    list = builder.object("findings")
    again = builder.object("again")
    spinner = builder.object("spinner")
    again.onClick { [model] in
      if model.isLooking { model.cancel() } else { Task { await model.look() } }
    }
    track { [weak self] in self?.updateFindings() }
    track { [weak self] in self?.updateWork() }
  }

  private func updateFindings() {
    for row in rows { list.remove(row) }
    rows = (model.findings ?? []).map { finding in
      let row = Row()
      row.show(finding.title, finding.parts)
      row.set(style: "fact", true)
      row.limitLines(title: 0, subtitle: 0)
      row.addIcon(finding.icon).name(finding.severityWord)
      addRemedy(of: finding, to: row)
      list.insert(row, at: -1)
      return row
    }
    list.isVisible = !rows.isEmpty
    let begin = model.isLooking ? tr("Looking…") : tr("Not examined yet.")
    summary.text = model.findings.map(Self.summary) ?? begin
  }

  /// Puts a button into the row of a finding that the person can do something about.
  private func addRemedy(of finding: Finding, to row: Row) {
    guard let remedy = model.remedy(of: finding) else { return }
    let button = row.addButton(label: remedy.label)
    let vault = model.vault
    switch remedy {
    case .act(.signIn(let account)):
      button.onClick { [model, signIn] in
        guard let item = vault.items.first(where: { $0.name == account }) else {
          // It was renamed or removed since the last look.
          Task { await model.look() }
          return
        }
        signIn(item)
      }
    case .act: button.onClick { [model] in Task { await model.mend(finding) } }
    case .lock: button.onClick { Task { await vault.lock() } }
    case .touch:
      button.onClick { [model] in
        Task {
          await vault.open()
          await model.look()
        }
      }
    case .recover: button.onClick(recover)
    case .accept: button.onClick { [weak self] in self?.confirmAcceptance() }
    case .keys: button.onClick { vault.open(.keys) }
    case .activity: button.onClick { vault.open(.activity) }
    case .copy(let command): copy(command, by: button)
    }
  }

  private func confirmAcceptance() {
    let dialog = MessageDialog(over: window, act: tr("Accept"), isDangerous: true)
    dialog.heading = tr("Accept the Vault as It Is?")
    dialog.body = tr(
      "Do this only if you know the cause, such as a copy that you restored. Each account that is signed in then needs a new sign-in. Accepting needs your system password."
    )
    dialog.ask { [model] isMeant in
      if isMeant { Task { await model.accept() } }
    }
  }

  private func copy(_ command: String, by button: Button) {
    // A line break would run what stands before it.
    let line = PlainText.line(CommandWords.adapted(command), limit: 4096)
    button.name(tr("Copy the command “%s”", PlainText.line(line, limit: 200)))
    button.onClick { [model, weak button] in
      button?.copy(line)
      model.vault.news = tr("Command copied")
    }
  }

  private func updateWork() {
    spinner.isSpinning = model.isLooking
    spinner.isVisible = model.isLooking
    again.label = model.isLooking ? tr("Cancel") : tr("Look Again")
    trouble.show(orHide: model.trouble?.text)
  }

  private static func summary(_ findings: [Finding]) -> String {
    let problems = findings.count { $0.severity == .problem }
    let warnings = findings.count { $0.severity == .warning }
    return switch (problems, warnings) {
    case (0, 0): tr("All is well.")
    case (0, _): "\(ofWarnings(warnings))."
    case (_, 0): "\(ofProblems(problems))."
    default: "\(ofProblems(problems)), \(ofWarnings(warnings))."
    }
  }

  private static func ofProblems(_ number: Int) -> String {
    ntr("%d problem", "%d problems", number)
  }

  private static func ofWarnings(_ number: Int) -> String {
    ntr("%d warning", "%d warnings", number)
  }
}
