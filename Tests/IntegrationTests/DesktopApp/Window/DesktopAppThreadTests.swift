import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app while the system starts no thread for it: real engine.
@Suite(.serialized)
struct DesktopAppThreadTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Bounds the processes and threads that the app may start (RLIMIT_NPROC of getrlimit(2)).
  private func allowThreads(_ areAllowed: Bool) throws {
    guard case .integer(let process) = try app.run("app.pid") else {
      throw SystemError("windows", code: EPROTO)
    }
    try person.shell("prlimit --pid \(process) --nproc=\(areAllowed ? 4096 : 0):").succeeded()
  }

  @Test
  func aFeedStartsAsSoonAsItCan() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.sees("work, Ready")
    // Libraries that GTK loads at its first use have threads of their own.
    try app.run("click('Activity', 'list item')")
    try app.sees("Registration, done, work", "list item")
    try app.run("click('work, Ready', 'list item')")
    try app.misses("Registration, done, work")
    try allowThreads(false)
    try app.run("click('Activity', 'list item')")
    try app.sees("thread_create: Resource temporarily unavailable", "alert")
    try app.misses("Registration, done")
    try allowThreads(true)
    try app.sees("Registration, done, work", "list item")
    try app.misses("thread_create")
  }

  @Test
  func theLastUsesAreFollowedAndNotReadAgain() throws {
    defer { bus.remove() }
    try person.register("other")
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("Registration, done")
    // Each call of the app has a thread of its own.
    try allowThreads(false)
    try person.run("logout", "work").succeeded()
    try app.sees("Sign-out, done")
    try allowThreads(true)
    try app.run("click('other', 'list item')")
    try app.misses("Sign-out, done")
    // The next engine is followed, too.
    try person.killEngine()
    try person.run("logout", "other").succeeded()
    try app.sees("Sign-out, done")
  }
}
