import JSON
import TestSupport
import Testing

/// The desktop app as some people need it: high contrast, from right to left, with large text.
@Suite(.serialized)
struct DesktopAppLookTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus, probed: true)
  }

  /// Examines a page at three widths, at which no text may be cut off at the side.
  private func expectWhole(_ page: String, _ look: String) throws {
    for width in [360, 1280, 800] {
      try app.run("resize(\(width), 860)")
      app.keepPicture("\(look)-\(page)-\(width)")
      let cut = try app.run("overflowing()")
      #expect(cut == .array([]), "\(look) \(page) \(width)")
      try expectLayout("\(look) \(page) \(width)")
    }
  }

  /// Expects that no text of the shown windows is cut, and that no controls overlap.
  private func expectLayout(_ place: String) throws {
    let faults = try app.run("layout()")
    #expect(faults == .array([]), "\(place): \(faults)")
  }

  /// Expects that the title of a page is whole in a narrow window: as wide as in a wide one, or of
  /// two lines.
  private func expectWholeTitle(_ page: String) throws {
    func size(at width: Int) throws -> (JSONValue, JSONValue) {
      try app.run("resize(\(width), 860)")
      let titles = "app.shown('label', '\(page)') if node.get_name() == '\(page)'"
      // The row in the list is wider.
      func number(_ index: Int) throws -> JSONValue {
        try app.run(
          "steadily(lambda: min(app.extents(node)[2:] for node in \(titles))[\(index)])"
        )
      }
      return (try number(0), try number(1))
    }
    let (narrow, wide) = (try size(at: 360), try size(at: 1280))
    #expect(narrow.0 == wide.0 || narrow.1 != wide.1, "\(page): \(narrow), \(wide)")
    try app.run("resize(800, 860)")
  }

  /// Goes through the pages of the open app.
  private func visit(_ look: String) throws {
    try app.run("resize(800, 860)")
    try app.run("click('work, ', 'list item')")
    try app.sees("work@example.org")
    try expectWhole("account", look)
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try app.run("shows_whole('Type the system password to turn on')")
    app.keepPicture("\(look)-prompt")
    try expectLayout("\(look) prompt")
    try app.press("Deny")
    try app.misses("System password")
    try app.run("press('Remove…')")
    try app.sees("Remove “work”?")
    app.keepPicture("\(look)-remove")
    try expectLayout("\(look) question")
    try app.run("press('Cancel Cancel')")
    try app.misses("Remove “work”?")
    try app.run("click('Fingers', 'list item')")
    try app.sees("No Finger Enrolled")
    try expectWhole("fingers", look)
    try app.run("click('Health', 'list item')")
    try app.misses("Looking…")
    try expectWhole("health", look)
    // Its other pages keep the place that they had in a wider window.
    try app.run("click('Activity', 'list item')")
    try app.sees("The audit log is whole")
    app.keepPicture("\(look)-activity")
    try expectLayout("\(look) activity")
    for (page, text) in [
      ("Programs", "No Rules in a Private Vault"), ("Keys and Backup", "No security key enrolled"),
    ] {
      try app.run("click('\(page)', 'list item')")
      try app.sees(text)
      try expectWhole(page, look)
      if look == "large" { try expectWholeTitle(page) }
    }
    try app.run("key('ctrl+comma')")
    try app.sees("Unlock window stays open")
    try expectWhole("settings", look)
    try app.run("key('ctrl+n')")
    try app.sees("Add a Provider")
    try expectWhole("choices", look)
    try app.run("click('A server that takes e-mail and password', 'list item')")
    try app.press("Register Instead")
    try app.sees("Password again")
    try app.run("key('Return')")
    try app.sees("This is missing.", "alert")
    try expectWhole("form", look)
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try expectWhole("locked", look)
    #expect(try app.run("quit()") == .integer(0))
  }

  /// A number of the place of a text on the screen: left, top, width, height.
  private func extent(_ index: Int, of text: String) throws -> Int64 {
    guard case .integer(let number) = try app.run("extents(app.find(None, '\(text)'))[\(index)]")
    else { return 0 }
    return number
  }

  @Test
  func lightColorsCutNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open(ADW_DEBUG_COLOR_SCHEME='prefer-light')")
    try visit("light")
  }

  @Test
  func darkColorsCutNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open(ADW_DEBUG_COLOR_SCHEME='prefer-dark')")
    try visit("dark")
  }

  @Test
  func highContrastCutsNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open(ADW_DEBUG_HIGH_CONTRAST='1')")
    try visit("contrast")
  }

  @Test
  func highContrastInTheDarkCutsNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open(ADW_DEBUG_HIGH_CONTRAST='1', ADW_DEBUG_COLOR_SCHEME='prefer-dark')")
    try visit("contrast-dark")
  }

  @Test
  func fromRightToLeftCutsNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    // GTK uses the direction of a language for which the app has a catalog. This one is empty.
    try shell(
      """
      umask 022; directory=\(person.base)/share/locale/he/LC_MESSAGES; mkdir -p $directory
      printf 'msgid ""\\nmsgstr "Content-Type: text/plain; charset=UTF-8\\\\n"\\n' |
        msgfmt -o $directory/thumblatch.mo -
      """
    )
    try app.run("open(LANGUAGE='he')")
    try app.run("resize(800, 860)")
    #expect(try extent(0, of: "Lock now") > 400)
    try visit("right-to-left")
  }

  @Test
  func largeTextCutsNothing() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    let usual = try extent(3, of: "Ready · not protected")
    #expect(try app.run("quit()") == .integer(0))
    try app.run("enlarge(1.5)")
    try app.run("open()")
    #expect(try extent(3, of: "Ready · not protected") * 10 > usual * 13)
    try visit("large")
  }

  @Test
  func aLongNameTakesSeveralLinesOfTheList() throws {
    defer { bus.remove() }
    let name = "someone-with-a-long-name-at-example-org"
    try person.register(name)
    try app.run("open()")
    try app.run("resize(1280, 860)")
    guard case .array(let lines) = try app.run("lines('\(name)')") else { return }
    #expect(lines.count == 2, "\(lines)")
    app.keepPicture("long-name")
  }

  @Test
  func aTroubleInLargeTextKeepsTheWidthOfTheList() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("enlarge(1.5)")
    try app.run("open()")
    try app.run("resize(800, 860)")
    // The list, its line and the page.
    func width() throws -> JSONValue {
      try app.run("steadily(lambda: app.extents(app.shown('separator')[-1])[0])")
    }
    let usual = try width()
    try shell("chmod 755 \(person.state)")
    try person.endEngine()
    try app.sees("cannot be used", "alert")
    for page in ["Fingers", "Keys and Backup", "Settings"] {
      try app.run("click('\(page)', 'list item')")
      try app.sees("cannot be used", "alert")
      #expect(try width() == usual, "\(page)")
    }
    try app.run("click('Activity', 'list item')")
    try app.sees("The audit log was not checked.")
    app.keepPicture("large-trouble")
    #expect(try app.run("overflowing()") == .array([]))
  }

  @Test
  func theListKeepsItsWidthAfterANarrowWindow() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    try app.run("click('work, ', 'list item')")
    try app.sees("work@example.org")
    for width in [360, 800, 360, 1280] { try app.run("resize(\(width), 860)") }
    app.keepPicture("unfolded")
    try app.run("until(lambda: app.extents(app.shown('separator')[-1])[0] == 300, 'another width')")
  }

  /// WCAG 2, success criterion 1.4.3.
  @Test(arguments: ["", "ADW_DEBUG_COLOR_SCHEME='prefer-dark'", "ADW_DEBUG_HIGH_CONTRAST='1'"])
  func greyTextHasEnoughContrast(_ style: String) throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open(\(style))")
    try app.run("resize(800, 860)")
    func expectContrast(_ text: String) throws {
      let contrast = try app.run("contrast('\(text)', 'label')")
      #expect(try app.run("contrast('\(text)', 'label') >= 4.5") == .boolean(true), "\(contrast)")
    }
    try app.run("click('work, ', 'list item')")
    try app.sees("work@example.org")
    // In the marked row of the list, of a fact, and of a switch.
    for text in ["Ready · not protected", "Signed in as", "Each refresh needs your finger"] {
      try expectContrast(text)
    }
    try app.run("key('ctrl+n')")
    try app.sees("Add a Provider")
    for text in ["With its address", "In a terminal you can also"] { try expectContrast(text) }
  }

  /// Moves the focus to a control by the keyboard, which scrolls it into the window.
  private func reach(_ name: String, _ role: String) throws {
    try app.run("tab_to('\(name)')")
    try app.run(
      "until(lambda: app.lies_within('\(name)', 'Thumblatch', '\(role)'), 'out of the window')"
    )
  }

  /// The minimum size: that of a small phone in landscape or portrait orientation.
  @Test
  func aLowWindowScrollsToWhatItHas() throws {
    defer { bus.remove() }
    try person.register("work")
    try app.run("open()")
    for (page, text) in [
      ("Fingers", "No Finger Enrolled"), ("Keys and Backup", "Security Keys"),
      ("Activity", "The audit log is whole"), ("Programs", "No Rules in a Private Vault"),
      ("Health", "Look Again"), ("Settings", "Start with the session"),
    ] {
      try app.run("resize(800, 860)")
      try app.run("click('\(page)', 'list item')")
      try app.sees(text)
      try app.run("resize(360, 294)")
      app.keepPicture("low-\(page)")
    }
    try app.press("Back")
    try reach("work", "list item")
    try reach("Settings", "list item")
    app.keepPicture("low-list")
    try app.run("tab_to('work')")
    try app.run("key('Return')")
    try app.sees("work@example.org")
    try reach("Remove…", "push button")
    try app.run("key('ctrl+n')")
    try app.sees("Add a Provider")
    try reach("A server that takes e-mail and password", "list item")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.run("key('Tab')")
    try reach("Unlock", "push button")
  }
}
