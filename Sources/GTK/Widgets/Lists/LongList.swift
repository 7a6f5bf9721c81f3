internal import CAdwaita

/// The widgets of a row, which show another position when the list is scrolled.
@MainActor
package protocol LongListRow: AnyObject {
  var widget: Widget { get }

  /// Shows the content of a position.
  func show(_ position: Int) -> LongListFacts

  /// Shows nothing: the row's turn comes soon.
  func clear()
}

/// The content of a row besides its widgets.
package struct LongListFacts {
  /// The text that a screen reader speaks.
  package let name: String
  /// Whether it is marked as the chosen one.
  package let isChosen: Bool

  package init(name: String, isChosen: Bool = false) {
    (self.name, self.isChosen) = (name, isChosen)
  }
}

/// A list of any length: it has widgets only for the rows that are shown and some beside them.
///
/// GTK has up to 200 rows around the shown ones. It exchanges all of them after a long scroll.
/// So each frame makes and fills only some, first those on the screen. The main loop stays free.
package final class LongList: Widget {
  override class var type: UInt { gtk_list_view_get_type() }

  /// How many rows each frame makes and fills.
  private static let mostRows = 10

  private var positions: Object?
  private var count = 0
  /// How many rows at the end GTK does not know yet.
  private var hiddenCount = 0
  /// The rows that are not filled yet, by the addresses of their items.
  private var empty: Set<UInt> = []
  private var filledCount = 0
  private var awaitsFrame = false
  /// The row to which the key End went, until another key is pressed; `nil` if it was not pressed.
  private var end: Int?
  /// Whether a later last row was scrolled to, and gets the focus in the next frame.
  private var isAtEnd = false
  /// The rows by the addresses of their items.
  private var rows: [UInt: (item: ListItem, row: any LongListRow)] = [:]

  /// Makes the rows by a closure; there is none until `change`.
  package func fill(_ make: @escaping @MainActor () -> any LongListRow) {
    let factory = unsafe Object(owning: new(gtk_signal_list_item_factory_new()))
    factory.connect("setup") { [weak self] arguments in
      if let item = arguments.object(0, as: ListItem.self) { self?.add(item, make()) }
      return nil
    }
    factory.connect("bind") { [weak self] arguments in
      if let item = arguments.object(0, as: ListItem.self) { self?.bind(item) }
      return nil
    }
    factory.connect("teardown") { [weak self] arguments in
      if let item = arguments.object(0, as: ListItem.self) {
        self?.rows.removeValue(forKey: item.address)
        self?.empty.remove(item.address)
      }
      return nil
    }
    let positions = unsafe Object(owning: cadwaita_positions_new())
    self.positions = positions
    // It takes over a count. (gtk_no_selection_new(3))
    unsafe g_object_ref(positions.pointer)
    let content = unsafe Object(owning: new(gtk_no_selection_new(positions.opaque)))
    unsafe gtk_list_view_set_factory(opaque, factory.opaque)
    unsafe gtk_list_view_set_model(opaque, content.opaque)
    unsafe gtk_list_view_set_single_click_activate(opaque, 1)
    watchKeys()
  }

  /// Reports that rows were removed and added at a position. (g_list_model_items_changed(3))
  package func change(at position: Int, removed: Int, added: Int) {
    tell(at: count - hiddenCount, removed: 0, added: hiddenCount)
    hiddenCount = 0
    if let end {
      self.end = removed > 0 ? nil : position <= end ? end + added : end
      awaitFrame()
    }
    count += added - removed
    if count == added {
      hiddenCount = max(0, added - Self.mostRows)
      awaitFrame()
    }
    tell(at: position, removed: removed, added: added - hiddenCount)
  }

  private func tell(at position: Int, removed: Int, added: Int) {
    guard let positions, removed > 0 || added > 0 else { return }
    unsafe cadwaita_positions_change(
      positions.pointer,
      guint(position),
      guint(removed),
      guint(added)
    )
  }

  /// Shows the rows on the screen again: what belongs to their positions has changed.
  package func refresh() {
    for (address, entry) in rows where entry.item.position != nil && !empty.contains(address) {
      show(entry.item)
    }
  }

  /// Scrolls until a row is on the screen.
  package func scroll(to position: Int) {
    guard position < count - hiddenCount else { return }
    unsafe gtk_widget_activate_action_variant(
      typed(),
      "list.scroll-to-item",
      g_variant_new_uint32(UInt32(position))
    )
  }

  /// Calls a closure with the position of a row that was clicked, or on which Enter was pressed.
  package func onActivate(_ body: @escaping @MainActor (Int) -> Void) {
    connect("activate") { arguments in
      if let position = arguments.number(0) { body(position) }
      return nil
    }
  }

  private func add(_ item: ListItem, _ row: any LongListRow) {
    unsafe gtk_list_item_set_child(item.opaque, row.widget.typed())
    rows[item.address] = (item, row)
  }

  private func bind(_ item: ListItem) {
    if filledCount < Self.mostRows {
      filledCount += 1
      show(item)
    } else {
      if let row = rows[item.address]?.row {
        row.clear()
        if let place = unsafe place(of: row) { unsafe Widget(place).name("…") }
      }
      empty.insert(item.address)
    }
    awaitFrame()
  }

  private func awaitFrame() {
    guard !awaitsFrame else { return }
    awaitsFrame = true
    beforeNextFrame { [weak self] in self?.work() }
  }

  private func work() {
    (awaitsFrame, filledCount) = (false, 0)
    let shown = empty.filter { rows[$0].map { isOnScreen($0.row) } ?? false }
    for address in (Array(shown) + empty.subtracting(shown)).prefix(Self.mostRows) {
      if let item = rows[address]?.item { show(item) }
    }
    if hiddenCount > 0, empty.isEmpty {
      // GTK makes at most 200 rows, even for a longer list.
      let added = count - hiddenCount > 250 ? hiddenCount : min(Self.mostRows, hiddenCount)
      tell(at: count - hiddenCount, removed: 0, added: added)
      hiddenCount -= added
    }
    if hiddenCount == 0 { followEnd() }
    if hiddenCount > 0 || !empty.isEmpty { awaitFrame() }
  }

  /// Moves the focus from the former last row to the present one, if the person is still there.
  private func followEnd() {
    let last = count - 1
    guard let end, end < last else { return }
    if isAtEnd {
      isAtEnd = false
      self.end = last
      if let (_, place) = unsafe row(at: last) { unsafe gtk_widget_grab_focus(place) }
      return
    }
    guard let (row, place) = unsafe row(at: end), unsafe gtk_widget_has_focus(place) != 0,
      isOnScreen(row)
    else {
      self.end = nil
      return
    }
    // The row can take the focus only in the next frame, when it has its place.
    scroll(to: last)
    isAtEnd = true
    awaitFrame()
  }

  /// A row that has widgets, and the widget that GTK puts around it.
  private func row(
    at position: Int
  ) -> (row: any LongListRow, place: UnsafeMutablePointer<GtkWidget>)? {
    guard let row = rows.values.first(where: { $0.item.position == position })?.row,
      let place = unsafe place(of: row)
    else { return nil }
    return unsafe (row, place.assumingMemoryBound(to: GtkWidget.self))
  }

  private func isOnScreen(_ row: any LongListRow) -> Bool {
    guard let place = unsafe place(of: row) else { return false }
    return unsafe gtk_widget_get_child_visible(place.assumingMemoryBound(to: GtkWidget.self)) != 0
  }

  /// The widget that GTK has around the row.
  private func place(of row: any LongListRow) -> UnsafeMutableRawPointer? {
    unsafe gtk_widget_get_parent(row.widget.typed()).map { UnsafeMutableRawPointer($0) }
  }

  private func show(_ item: ListItem) {
    empty.remove(item.address)
    guard let row = rows[item.address]?.row, let position = item.position,
      let place = unsafe gtk_widget_get_parent(row.widget.typed())
    else { return }
    let facts = row.show(position)
    // The widget that GTK has around the row takes the focus, and is what a screen reader finds.
    unsafe Widget(UnsafeMutableRawPointer(place)).speak(facts)
    if facts.isChosen {
      unsafe gtk_widget_set_state_flags(place, GTK_STATE_FLAG_SELECTED, 0)
    } else {
      unsafe gtk_widget_unset_state_flags(place, GTK_STATE_FLAG_SELECTED)
    }
  }

  /// Lets Tab leave the list, where GTK 4.8 goes through all of its rows, and notes that End was
  /// pressed, which reaches only the rows that GTK has already.
  private func watchKeys() {
    guard let keys = unsafe gtk_event_controller_key_new() else { return }
    unsafe gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    // The widget takes over the controller. (gtk_widget_add_controller(3))
    let controller = unsafe Object(UnsafeMutableRawPointer(keys))
    controller.connect("key-pressed") { [weak self] arguments in
      guard let self else { return false }
      let key = arguments.number(0)
      let isEnd = key == Int(GDK_KEY_End) || key == Int(GDK_KEY_KP_End)
      (end, isAtEnd) = (isEnd ? count - hiddenCount - 1 : nil, false)
      return switch key {
      case Int(GDK_KEY_Tab): leave(GTK_DIR_TAB_FORWARD)
      case Int(GDK_KEY_ISO_Left_Tab): leave(GTK_DIR_TAB_BACKWARD)
      default: false
      }
    }
    unsafe gtk_widget_add_controller(typed(), keys)
  }

  private func leave(_ direction: GtkDirectionType) -> Bool {
    guard let root = unsafe gtk_widget_get_root(typed()) else { return false }
    // A widget that takes no focus is skipped.
    unsafe gtk_widget_set_can_focus(typed(), 0)
    defer { unsafe gtk_widget_set_can_focus(typed(), 1) }
    return unsafe gtk_widget_child_focus(
      UnsafeMutableRawPointer(root).assumingMemoryBound(to: GtkWidget.self),
      direction
    ) != 0
  }
}

/// The item of a row.
private final class ListItem: Object {
  override class var type: UInt { gtk_list_item_get_type() }

  var address: UInt { unsafe UInt(bitPattern: pointer) }

  /// The position that it shows; `nil` if it shows none.
  var position: Int? {
    let position = unsafe gtk_list_item_get_position(opaque)
    // GTK_INVALID_LIST_POSITION
    return position == UInt32.max ? nil : Int(position)
  }
}

/// The container that scrolls its child.
package final class Scroller: Widget {
  override class var type: UInt { gtk_scrolled_window_get_type() }

  /// Whether the first line of the child is on the screen.
  package var isAtTop: Bool {
    let place = unsafe gtk_scrolled_window_get_vadjustment(opaque)
    return unsafe gtk_adjustment_get_value(place) <= gtk_adjustment_get_lower(place)
  }

  /// Lets the keyboard reach it while its child is longer than it: then the arrow keys scroll it.
  ///
  /// The UI file begins with `can-focus` False. If only `focusable` is False, GTK 4.8 treats a
  /// scrolled window as focused, and Tab stops there.
  package func takeFocusIfLonger() {
    let place = unsafe gtk_scrolled_window_get_vadjustment(opaque)
    unsafe Object(new(place)).on("changed") { [weak self] in
      guard let self else { return }
      let place = unsafe gtk_scrolled_window_get_vadjustment(opaque)
      let isLonger = unsafe gtk_adjustment_get_upper(place) > gtk_adjustment_get_page_size(place)
      unsafe gtk_widget_set_can_focus(typed(), isLonger ? 1 : 0)
    }
  }
}
