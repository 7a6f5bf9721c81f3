internal import Doctor
internal import GTK

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
  private var rows: [Row] = []

  init(_ model: HealthModel) {
    self.model = model
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
      (row.title, row.subtitle) = (finding.title, finding.text)
      row.set(style: "fact", true)
      row.limitLines(title: 0, subtitle: 0)
      row.addIcon(finding.icon).name(finding.standing)
      list.insert(row, at: -1)
      return row
    }
    list.isVisible = !rows.isEmpty
    summary.text = model.findings.map(Self.summary) ?? tr("Looking…")
  }

  private func updateWork() {
    spinner.isSpinning = model.isLooking
    spinner.isVisible = model.isLooking
    trouble.text = model.trouble?.text ?? ""
    trouble.isVisible = model.trouble != nil
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
