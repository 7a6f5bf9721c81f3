import TestSupport
import Testing

// The reader of the machine, at the end of a sign-in.
extension DesktopSignInTests {
  /// Signs in with the password of the account `work`, until the question about the protection.
  private func signIn(as account: String, _ app: AppWindows) throws {
    try choose("dev", app)
    try app.run("tab_to('E-mail')")
    try app.run("type('work@example.org')")
    try app.run("tab_to('Password')")
    try type(secret: "backend-password", app)
    try app.run("key('Return')")
    try app.sees("Protect “\(account)”?")
  }

  @Test
  func theReaderOfTheMachineIsNamed() throws {
    let person = try Person()
    try person.register("work")
    let app = try open(of: person, "light", width: 800)
    try signIn(as: "dev", app)
    try app.sees("A reader is there.")
    try app.sees("Enroll Finger…", "push button")
    try app.press("Done")
    try app.sees("Last Uses")
    try shell("echo >\(person.programs)/virtual-reader.conf")
    try signIn(as: "dev-2", app)
    try app.sees("No reader can be used.")
    try app.sees("Your system password.")
    try app.misses("Enroll Finger…")
    try expectWhole(app, "no-reader")
  }
}
