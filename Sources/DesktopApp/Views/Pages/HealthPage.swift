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
  private let signIn: @MainActor (AccountItem) -> Void
  private var rows: [Row] = []

  /// Makes the page; `signIn` shows the sign-in to an account.
  init(_ model: HealthModel, signIn: @escaping @MainActor (AccountItem) -> Void) {
    (self.model, self.signIn) = (model, signIn)
    let builder = Builder(ui: PackageResources.health_ui)
    widget = builder.object("health")
    trouble = builder.object("trouble")
    summary = builder.object("summary")
    list = builder.object("findings")
    again = builder.object("again")
    spinner = builder.object("spinner")
    again.onClick { [model] in Task { await model.look() } }
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
    summary.text = model.findings.map(Self.summary) ?? tr("Looking…")
  }

  /// Puts a button into the row of a finding that the person can do something about.
  private func addRemedy(of finding: Finding, to row: Row) {
    guard let action = finding.action else { return }
    let button = row.addButton(label: action.label)
    switch action {
    case .setMode, .protect:
      button.onClick { [model] in Task { await model.mend(finding) } }
    case .signIn(let account):
      button.onClick { [model, signIn] in
        guard let item = model.vault.items.first(where: { $0.name == account }) else {
          // It was renamed or removed since the last look.
          Task { await model.look() }
          return
        }
        signIn(item)
      }
    case .run(let command):
      button.name(tr("Copy the command “%s”", PlainText.line(command, limit: 200)))
      button.onClick { [model, weak button] in
        // A line break would run what stands before it.
        button?.copy(PlainText.line(command, limit: 4096))
        model.vault.news = tr("Command copied")
      }
    }
  }

  private func updateWork() {
    spinner.isSpinning = model.isLooking
    spinner.isVisible = model.isLooking
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
