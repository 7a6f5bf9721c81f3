import Glibc
import JSON
import System
import TestSupport
import Testing

/// The audit log in the desktop app: real engine, development backend.
@Suite(.serialized)
struct DesktopAppActivityTests {
  /// The longest time in milliseconds in which the app may answer nothing, in a debug build on a
  /// machine that does other work too.
  private static let longestStall: Int64 = 500

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Fills the audit log up to this many records.
  private func fill(_ count: Int) throws {
    try person.endEngine()
    // A helper that the engine was starting holds the lock of its directory until its execve(2).
    try shell("flock --timeout 60 \(person.state) true")
    try shell("install -m 755 \(BuiltPrograms.path("AuditWriter")) \(person.programs)/")
    try person.shell("\(person.programs)/AuditWriter \(person.state) \(count)").succeeded()
  }

  /// Does something, and expects that the app answers all the time.
  private func withoutStall(_ act: () throws -> Void, _ what: String) throws {
    try app.run("watch()")
    try act()
    guard case .integer(let stall) = try app.run("longest_stall()") else {
      throw SystemError("windows", code: EPROTO)
    }
    #expect(stall < Self.longestStall, "\(what): \(stall) ms")
  }

  /// Chooses a text of a filter by the keyboard, some rows below the first.
  private func choose(_ filter: String, _ text: String, below: Int) throws {
    try app.run("tab_to('\(filter): ')")
    try app.run("key('space')")
    try app.sees(text, "label")
    let keys = ["'Home'"] + Array(repeating: "'Down'", count: below) + ["'Return'"]
    try app.run("key(\(keys.joined(separator: ", ")))")
    try app.sees("\(filter): \(text)")
  }

  /// Waits until a record is not on the screen.
  private func leaves(_ record: String) throws {
    try app.run("until(lambda: not app.shown('list item', '\(record)'), 'still there')")
  }

  @Test
  func recordsAreShownInWordsAndLeaveWithTheLock() throws {
    defer { bus.remove() }
    try person.register("work")
    try fill(301)
    let hostile = "'<b>\u{202e}' || hex(zeroblob(2000)) || '&amp;'"
    try person.changeStore("UPDATE audit SET detail = \(hostile) WHERE number = 300")
    for style in ["light", "dark"] {
      try app.run(style == "dark" ? "open(ADW_DEBUG_COLOR_SCHEME='prefer-dark')" : "open()")
      // Rows that are off the screen keep the width that they had.
      try app.run("resize(360, 640)")
      try app.run("click('Activity', 'list item')")
      try app.sees("Presence check, done", "list item")
      try app.sees("Requested by bash, pid 301")
      try app.sees("Checked by fingerprint")
      try app.sees("Stated reason, not verified: “nightly”")
      try app.sees("Details: record 301, under rule \"box\"")
      try app.sees("202E}0000", "list item")
      try app.sees("The audit log is not whole: record 300 (")
      try app.sees(") was altered.")
      for width in [360, 800] {
        try app.run("resize(\(width), 640)")
        app.keepPicture("activity-\(width)-\(style)")
        #expect(try app.run("overflowing()") == .array([]))
      }
      try app.expectNames()
      try app.run("key('ctrl+l')")
      try app.misses("record 301")
      try app.misses("The audit log is")
      #expect(try app.run("quit()") == .integer(0))
    }
  }

  @Test
  func aCheckOfTheAuditLogIsCancelled() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("click('Activity', 'list item')")
    try app.sees("The audit log is whole")
    let engine = try #require(processes(in: person.programs, named: "thumblatchd").first)
    try #require(halt(engine))
    defer { kill(engine, SIGCONT) }
    try app.press("Check Again")
    try app.press("Cancel")
    try app.sees("Check Again", "push button")
    // What the last check has found still holds.
    try app.sees("The audit log is whole")
    kill(engine, SIGCONT)
    try app.press("Check Again")
    try app.sees("The audit log is whole")
  }

  @Test
  func recordsOfALongerTimeAreShownIfThePersonWants() throws {
    defer { bus.remove() }
    // Between two records are fourteen hours, and the last one is of now.
    try person.register("work")
    try fill(101)
    try app.run("open()")
    try app.run("resize(800, 880)")
    try app.run("click('Activity', 'list item')")
    try app.sees("record 99, under rule", "list item")
    for (time, position, oldest) in [("Last hour", 1, 101), ("Last 24 hours", 2, 100)] {
      try choose("Time", time, below: position)
      try app.sees("record 101, under rule", "list item")
      try app.sees("record \(oldest), under rule", "list item")
      try leaves("record \(oldest - 1),")
      app.keepPicture("activity-\(position)")
    }
    try choose("Time", "All times", below: 0)
    try app.sees("record 99, under rule", "list item")
  }

  @Test
  func hundredThousandRecordsAreScrolledAndFiltered() throws {
    defer { bus.remove() }
    try person.register("work")
    try fill(100_000)
    try app.run("open()")
    try app.sees("work, Ready")
    try withoutStall(
      {
        try app.run("click('Activity', 'list item')")
        try app.sees("record 100000, under rule", "list item")
        try app.sees("The audit log is whole: 100000 records.")
      },
      "opening"
    )
    try withoutStall(
      {
        try app.run("tab_to('record 100000,')")
        // The oldest records are read last, and the focus goes on to them.
        try app.run("key('End')")
        try app.sees("record 3, under rule", "list item")
        try app.run("key('Home')")
        try app.run("until(lambda: 'record 100000,' in app.focus()[0], 'no begin')")
      },
      "scrolling"
    )
    try app.expectNames()
    try withoutStall(
      {
        try choose("Account", "account-3", below: 4)
        try app.sees("record 99399, under rule", "list item")
        try leaves("record 100000,")
        try choose("Outcome", "Failed or refused", below: 2)
        try app.sees("record 99300, under rule", "list item")
        try leaves("record 99399,")
        try choose("Event", "Fingers and keys", below: 4)
        try app.sees("No Such Record")
      },
      "filtering"
    )
    for filter in ["Account: All accounts", "Outcome: All outcomes", "Event: All events"] {
      let words = filter.split(separator: ": ").map(String.init)
      try choose(words[0], words[1], below: 0)
    }
    try app.sees("record 100000, under rule", "list item")
    try person.register("later")
    try app.sees("Registration, done, later", "list item")
  }
}
