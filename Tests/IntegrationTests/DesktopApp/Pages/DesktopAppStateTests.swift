import JSON
import System
import TestSupport
import Testing

/// The pages of the desktop app that have nothing to show: each has a picture above its words.
@Suite(.serialized)
struct DesktopAppStateTests {
  @Test
  func emptyPagesHaveAPicture() throws {
    let person = try Person()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus)
    func expectPicture(above title: String) throws {
      try app.sees(title, "label")
      app.keepPicture("state-\(title)")
      try app.run("has_icon('\(title)', 'Thumblatch')")
    }
    try person.register("work")
    try app.run("open()")
    try app.run("resize(800, 860)")
    try expectPicture(above: "No Account Chosen")
    for (page, title) in [
      ("Fingers", "No Finger Enrolled"), ("Programs", "No Rules in a Private Vault"),
    ] {
      try app.run("click('\(page)', 'list item')")
      try expectPicture(above: title)
    }
    try app.run("click('Activity', 'list item')")
    try app.sees("Registration, done", "list item")
    try app.run("tab_to('Settings')")
    try app.run("tab_to('Event: ')")
    // The focus has passed other pages.
    #expect(try app.run("is_marked('Activity')") == .boolean(true))
    #expect(try app.run("is_marked('Settings')") == .boolean(false))
    try app.run("key('space')")
    try app.sees("Fingers and keys", "label")
    try app.run("key('End')")
    try app.run("key('Up')")
    try app.run("key('Return')")
    try expectPicture(above: "No Such Record")
    try app.run("key('ctrl+l')")
    try expectPicture(above: "The Vault Is Locked")
    #expect(try app.run("quit()") == .integer(0))

    try shell("chmod 755 \(person.state)")
    try person.endEngine()
    try app.run("open()")
    try app.sees("cannot be used")
    try expectPicture(above: "The Vault Is Not Usable")
  }
}
