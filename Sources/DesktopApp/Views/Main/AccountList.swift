internal import GTK

/// The list of accounts.
@MainActor
final class AccountList {
  private let model: VaultModel
  private let list: LongList
  private var items: [AccountItem] = []

  init(_ list: LongList, _ model: VaultModel, chosen: @escaping @MainActor () -> Void) {
    self.list = list
    self.model = model
    list.fill { [weak self] in AccountRow { self?.shown(at: $0) } }
    list.onActivate { [weak self] index in
      guard let self, items.indices.contains(index) else { return }
      let item = items[index]
      chosen()
      model.select(item)
    }
    track { [weak self] in self?.update() }
    track { [weak self] in
      guard let self, self.model.updates >= 0 else { return }
      _ = self.model.selected
      self.list.refresh()
    }
  }

  private func shown(at position: Int) -> (item: AccountItem, isChosen: Bool)? {
    guard items.indices.contains(position) else { return nil }
    let item = items[position]
    return (item, item === model.selected)
  }

  /// Exchanges the rows between the first and the last one that differ.
  private func update() {
    let (former, now) = (items, model.items)
    let most = min(former.count, now.count)
    var (same, sameAtEnd) = (0, 0)
    while same < most, former[same] === now[same] { same += 1 }
    while sameAtEnd < most - same,
      former[former.count - 1 - sameAtEnd] === now[now.count - 1 - sameAtEnd]
    {
      sameAtEnd += 1
    }
    items = now
    list.change(
      at: same,
      removed: former.count - same - sameAtEnd,
      added: now.count - same - sameAtEnd
    )
  }
}

/// One account in the list.
@MainActor
private final class AccountRow: LongListRow {
  var widget: Widget { row.widget }
  private let row = TextRow(textLines: 2)
  private let shown: (Int) -> (item: AccountItem, isChosen: Bool)?

  init(_ shown: @escaping (Int) -> (item: AccountItem, isChosen: Bool)?) {
    self.shown = shown
  }

  func show(_ position: Int) -> LongListFacts {
    guard let (item, isChosen) = shown(position) else { return LongListFacts(name: "…") }
    let words = AccountWords(account: item.account)
    let (name, summary) = (words.name, words.summary)
    row.show(icon: words.icon, title: name, text: summary.joined(separator: "\n"))
    let spoken = "\(name), \(summary.joined(separator: " · "))"
    return LongListFacts(name: spoken, isChosen: isChosen)
  }

  func clear() { row.clear() }
}
