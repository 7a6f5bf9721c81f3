internal import GTK

/// The list of accounts.
@MainActor
final class AccountList {
  private let model: VaultModel
  private let list: ListBox
  private var rows: [(item: AccountItem, row: AccountRow)] = []

  init(_ list: ListBox, _ model: VaultModel, chosen: @escaping @MainActor () -> Void) {
    self.list = list
    self.model = model
    list.onActivate { [weak self] index in
      guard let self, rows.indices.contains(index) else { return }
      let item = rows[index].item
      chosen()
      Task { await model.select(item) }
    }
    track { [weak self] in self?.update() }
    track { [weak self] in self?.select() }
  }

  private func update() {
    let items = model.items
    let kept = Set(items.map(ObjectIdentifier.init))
    for (item, row) in rows where !kept.contains(ObjectIdentifier(item)) { list.remove(row.row) }
    var known = Dictionary(uniqueKeysWithValues: rows.map { (ObjectIdentifier($0.item), $0.row) })
    rows = items.enumerated().map { index, item in
      if let row = known.removeValue(forKey: ObjectIdentifier(item)) { return (item, row) }
      let row = AccountRow(item)
      list.insert(row.row, at: index)
      return (item, row)
    }
  }

  private func select() {
    let selected = model.selected
    list.select(rows.first { $0.item === selected }?.row.row)
  }
}

/// One account in the list.
@MainActor
final class AccountRow {
  let row = Row(isActivatable: true)
  private let icon: Icon

  init(_ item: AccountItem) {
    icon = row.addIcon("")
    row.limitLines(title: 1, subtitle: 2)
    track { [weak self] in
      guard let self else { return }
      let words = AccountWords(account: item.account)
      row.title = words.name
      row.subtitle = words.summary
      icon.icon = words.icon
      row.name("\(words.name), \(words.summary)")
    }
  }
}
