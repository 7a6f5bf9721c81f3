import GTK
import Glibc

/// Reports the live closures, which the tests of the room `GTK` observe.
@MainActor
final class Counted {
  static var alive = 0
  var clicks = 0

  init() { Self.alive += 1 }

  isolated deinit { Self.alive -= 1 }
}

/// A row that knows which positions are shown.
final class CountedRow: LongListRow {
  static var last = 0
  var widget: Widget { row.widget }
  private let row = TextRow()
  private let counted = Counted()

  func show(_ position: Int) -> LongListFacts {
    Self.last = max(Self.last, position)
    row.show(icon: nil, title: "<b>\(position)", text: "&")
    return LongListFacts(name: "\(position)")
  }

  func clear() { row.clear() }
}

/// How long this thread has run, in seconds (clock_gettime(3)).
func processorTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Prints a line at once.
@MainActor
func say(_ text: String) {
  print(text)
  fflush(nil)
}

@MainActor
final class Probe {
  let application = Application(id: "io.thumblatch.Probe")
  let subject: String

  init(_ subject: String) { self.subject = subject }

  func run() -> Int32 {
    application.run(.window) { [unowned self] in
      let builder = Builder(ui: PackageResources.probe_ui)
      let window: Window = builder.object("window")
      application.add(window)
      window.present()
      window.onPainted { [unowned self] in
        say("shown")
        examine(builder)
      }
    }
  }

  func examine(_ builder: Builder) {
    switch subject {
    case "rows": replaceRows(builder.object("list"))
    case "tasks": runTasks()
    case "signals": turnSwitch(builder.object("switch"))
    case "markup": showMarkup(builder.object("list"))
    case "delays": waitTwice()
    case "idle": awaitWork()
    case "long": showLongList(builder.object("long"))
    case "choice": showChoice(builder.object("list"))
    case "layout": layOutRows(builder.object("long"))
    case "secret": showSecret(builder.object("code"))
    default: break
    }
  }

  /// Fills a list with rows that own closures, and empties it.
  private func replaceRows(_ list: ListBox) {
    var rows: [Row] = []
    for number in 0..<8000 {
      let row = Row(isActivatable: true)
      let counted = Counted()
      row.on("activated") { counted.clicks += 1 }
      row.title = "row \(number)"
      list.insert(row, at: -1)
      rows.append(row)
    }
    say("alive \(Counted.alive)")
    for row in rows { list.remove(row) }
    rows = []
    say("alive \(Counted.alive)")
    application.quit()
  }

  /// Awaits work elsewhere and on the main actor.
  private func runTasks() {
    Task { @MainActor in
      var sum = 0
      for number in 1...1000 {
        sum += await Task.detached { number }.value
        await Task.yield()
      }
      say("sum \(sum)")
      application.quit()
    }
  }

  /// Waits once, and cancels another wait.
  private func waitTwice() {
    Delay(seconds: 0) { say("given up") }.cancel()
    _ = Delay(seconds: 1) { [application] in
      say("waited")
      application.quit()
    }
  }

  /// Awaits by each way through Swift's pool.
  private func awaitWork() {
    Task {
      var count = await Task.detached { 1 }.value
      let (numbers, feed) = AsyncStream<Int>.makeStream()
      Task.detached {
        feed.yield(1)
        feed.finish()
      }
      for await number in numbers { count += number }
      count += await withCheckedContinuation { count in
        Task.detached { count.resume(returning: 1) }
      }
      say("awaited \(count)")
    }
  }

  private func turnSwitch(_ turned: Switch) {
    var count = 0
    turned.onTurn { count += 1 }
    turned.isOn = true
    turned.isOn = true
    turned.isOn = false
    say("turned \(count)")
    application.quit()
  }

  private func showChoice(_ list: ListBox) {
    let choice = Choice(title: "<b>a & b")
    list.insert(choice, at: -1)
    choice.offer(["<i>", "b", "c"], chosen: 1)
    var count = 0
    choice.onChoose { count += 1 }
    choice.chosen = 1
    choice.chosen = 2
    say("chosen \(choice.chosen ?? -1), told \(count)")
    choice.offer([], chosen: nil)
    say("chosen \(choice.chosen ?? -1)")
    application.quit()
  }

  /// Fills a list that has rows only near the visible part, scrolls it, and removes it.
  private func showLongList(_ place: Bin) {
    let builder = Builder(ui: PackageResources.long_ui)
    var list: LongList? = builder.object("rows")
    place.child = builder.object("scroller", as: Scroller.self)
    list?.fill { CountedRow() }
    list?.change(at: 0, removed: 0, added: 100_000)
    say("alive \(Counted.alive <= 20)")
    list?.change(at: 0, removed: 0, added: 1)
    var isScrolled = false
    awaitFrame(of: place) { [application] in
      if CountedRow.last < 150 { return false }
      if !isScrolled {
        isScrolled = true
        list?.scroll(to: 100_000)
      }
      if CountedRow.last < 100_000 { return false }
      say("few \(Counted.alive < 1000)")
      list?.change(at: 0, removed: 100_001, added: 0)
      place.child = nil
      list = nil
      say("alive \(Counted.alive)")
      application.quit()
      return true
    }
  }

  /// Lays out rows of a long list, and then other rows with the same texts.
  private func layOutRows(_ place: Bin) {
    let text = Array(repeating: "some words of a record, which wrap", count: 5)
      .joined(separator: "\n")
    let groups = [Group(title: ""), Group(title: ""), Group(title: "")]
    // The first rows load fonts and styles.
    let first = TextRow()
    first.show(icon: "edit-find-symbolic", title: "title", text: text)
    groups[0].add(first.widget)
    for _ in 0..<5 {
      let (row, other) = (TextRow(), Row())
      row.show(icon: "edit-find-symbolic", title: "title", text: text)
      (other.title, other.subtitle) = ("title", text)
      other.limitLines(title: 0, subtitle: 0)
      groups[1].add(row.widget)
      groups[2].add(other)
    }
    var times: [Double] = []
    var begin = 0.0
    awaitFrame(of: place) { [application] in
      // The last frame is drawn, and the next one has not begun.
      if place.child != nil { times.append(processorTime() - begin) }
      if times.count == groups.count {
        say("cheap \(times[1] < 0.4 * times[2])")
        application.quit()
        return true
      }
      begin = processorTime()
      place.child = groups[times.count]
      return false
    }
  }

  private func awaitFrame(of widget: Widget, _ isDone: @escaping @MainActor () -> Bool) {
    widget.beforeNextFrame { [weak self] in
      if !isDone() { self?.awaitFrame(of: widget, isDone) }
    }
  }

  /// Shows a secret for a frame, and tells whether its end was and is in the heap.
  private func showSecret(_ label: SecretLabel) {
    guard (try? label.show(Pattern.secret())) != nil else { return say("no memory") }
    awaitFrame(of: label) { [application] in
      if Pattern.count() == 0 { return false }
      say("shown")
      label.clear()
      say("left \(Pattern.count())")
      application.quit()
      return true
    }
  }

  private func showMarkup(_ list: ListBox) {
    let row = Row()
    (row.title, row.subtitle) = ("<b>a & b", "<i>")
    list.insert(row, at: -1)
    say("row \(row.title) \(row.subtitle)")
    application.quit()
  }
}

/// Prints texts in the language of the environment, by the catalogs of a directory.
@MainActor
func showTexts(_ directory: String) {
  Translation.begin(in: directory)
  say(tr("Cancel"))
  say(tr("in no catalog: %s", "5"))
  // A mark in a value is no mark.
  say(tr("line %s: %s must be yes or no", "%s", "x"))
  // The fifth day of a month.
  say("\(LocalTime.text(1_770_292_800).prefix(1))")
  // It is tomorrow, and a whole day away.
  for hours in [13, 24] {
    say("\(LocalTime.short(1_770_292_800, now: 1_770_292_800 - 3600 * hours).prefix(2))")
  }
  for count in 0...2 { say(ntr("%s of %d touch", "%s of %d touches", count, "%d")) }
  // The number may stand behind the value.
  for count in 1...2 {
    say(
      ntr(
        "Swipe your %s over the reader %d time.",
        "Swipe your %s over the reader %d times.",
        count,
        "%d"
      )
    )
  }
}

if CommandLine.arguments.count == 3 {
  showTexts(CommandLine.arguments[2])
  exit(0)
}
exit(Probe(CommandLine.arguments.dropFirst().first ?? "").run())
