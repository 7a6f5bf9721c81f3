internal import GTK
internal import PlainText
internal import VaultInterface

/// The audit log.
@MainActor
final class ActivityPage: ContentPage {
  let widget: Widget
  private let model: ActivityModel
  private let trouble: Label
  private let summary: Label
  private let spinner: Spinner
  private let again: Button
  private let pages: Stack
  private let list: LongList
  private let reading: Label
  private let account: DropDown
  private let kind: DropDown
  private let outcome: DropDown
  private let span: DropDown
  private var accounts: [String] = []
  /// Whether the view sets a filter, and not the person.
  private var isSetting = false
  /// Whether the newest record is on the screen, and shall be when the next one comes.
  private let scroller: Scroller

  init(_ model: ActivityModel) {
    self.model = model
    let builder = Builder(ui: PackageResources.activity_ui)
    widget = builder.object("activity")
    trouble = builder.object("trouble")
    summary = builder.object("summary")
    spinner = builder.object("spinner")
    again = builder.object("again")
    pages = builder.object("pages")
    list = builder.object("records")
    reading = builder.object("reading")
    account = builder.object("account")
    kind = builder.object("kind")
    outcome = builder.object("outcome")
    span = builder.object("span")
    scroller = builder.object("scroller")
    fillList()
    fillFilters()
    again.onClick { [model] in
      if model.isChecking { model.cancelCheck() } else { Task { await model.check() } }
    }
    track { [weak self] in self?.updateSummary() }
    track { [weak self] in self?.updatePages() }
    track { [weak self] in self?.updateAccounts() }
    model.open()
  }

  isolated deinit {
    model.onChange = nil
    model.close()
  }

  private func fillList() {
    list.fill { [model] in RecordRow(model) }
    model.onChange = { [weak self] position, removed, added in
      guard let self else { return }
      let isAtTop = scroller.isAtTop
      list.change(at: position, removed: removed, added: added)
      // A list keeps its place when rows come above.
      if position == 0, isAtTop || removed > 0, model.shownCount > 0 { list.scroll(to: 0) }
    }
  }

  private func fillFilters() {
    kind.offer([tr("All events")] + ActivityFilter.Kind.allCases.map(\.words), chosen: 0)
    outcome.offer([tr("All outcomes")] + ActivityFilter.Outcome.allCases.map(\.words), chosen: 0)
    span.offer([tr("All times")] + ActivityFilter.Span.allCases.map(\.words), chosen: 0)
    account.offer([tr("All accounts")], chosen: 0)
    let choices = [
      (account, tr("Account")), (kind, tr("Event")), (outcome, tr("Outcome")), (span, tr("Time")),
    ]
    for (choice, title) in choices {
      choice.nameButton(title)
      choice.onChoose { [weak self] in self?.choose() }
    }
  }

  private func choose() {
    guard !isSetting else { return }
    func chosen<Value>(_ values: [Value], _ choice: DropDown) -> Value? {
      values.indices.contains(choice.chosen - 1) ? values[choice.chosen - 1] : nil
    }
    let filter = ActivityFilter(
      account: chosen(accounts, account),
      kind: chosen(ActivityFilter.Kind.allCases, kind),
      outcome: chosen(ActivityFilter.Outcome.allCases, outcome),
      span: chosen(ActivityFilter.Span.allCases, span)
    )
    Task { [model] in await model.choose(filter) }
  }

  private func updateSummary() {
    if let verdict = model.verdict, !model.isChecking {
      summary.text = verdict.words
      summary.set(style: "error", !verdict.whole)
    } else if model.trouble != nil || model.isCheckCancelled, !model.isChecking {
      summary.text = tr("The audit log was not checked.")
      summary.set(style: "error", model.trouble != nil)
    } else {
      summary.text = tr("Checking whether the audit log is whole…")
      summary.set(style: "error", false)
    }
    again.label = model.isChecking ? tr("Cancel") : tr("Check Again")
    let isWorking = model.isChecking || model.isReading || model.isFiltering
    spinner.isSpinning = isWorking
    spinner.isVisible = isWorking
    trouble.show(orHide: model.trouble?.text)
  }

  private func updatePages() {
    reading.text = ntr("%d record read", "%d records read", model.count)
    pages.page =
      switch (model.shownCount, model.isReading || model.isFiltering || !model.isCurrent) {
      case (0, true): "reading"
      case (0, false): model.filter.isOpen ? "empty" : "none"
      case (_, _): "records"
      }
  }

  private func updateAccounts() {
    guard accounts != model.accounts else { return }
    accounts = model.accounts
    isSetting = true
    let chosen = model.filter.account.flatMap { accounts.firstIndex(of: $0) }
    let names = accounts.map { PlainText.line($0, limit: 64) }
    account.offer([tr("All accounts")] + names, chosen: chosen.map { $0 + 1 } ?? 0)
    isSetting = false
  }
}

/// One record in the list.
@MainActor
private final class RecordRow: LongListRow {
  var widget: Widget { row.widget }
  private let row = TextRow()
  private let model: ActivityModel

  init(_ model: ActivityModel) {
    self.model = model
  }

  func show(_ position: Int) -> LongListFacts {
    guard let record = model.record(at: position) else { return LongListFacts(name: "…") }
    let words = ActivityWords(record: record)
    let (title, text) = (words.title, words.text)
    row.show(icon: words.icon, title: title, text: text)
    return LongListFacts(name: "\(title), \(text)")
  }

  func clear() { row.clear() }
}
