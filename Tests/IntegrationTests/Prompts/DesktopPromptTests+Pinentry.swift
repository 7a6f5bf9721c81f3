import Glibc
import JSON
import System
import TestSupport
import Testing

// The program that asks for the password: which one it is, what it inherits, and how it ends.
extension DesktopPromptTests {
  private func pinentries() throws -> [Int32] {
    let answer = try desk.run("desk.programs('pinentry-gtk-2')")
    guard case .array(let found) = answer else { throw SystemError("desk", code: EPROTO) }
    return found.compactMap { value in
      if case .integer(let process) = value { Int32(process) } else { nil }
    }
  }

  /// A program of the user must not take the place of pinentry, and no variable may change it.
  @Test
  func pinentryIsTheSystemsAndHasAFixedEnvironment() throws {
    let theirs = person.home + "/bin"
    try shell(
      """
      install -d -o \(person.user.name) \(theirs)
      printf '#!/bin/sh\\n: >\(person.home)/started\\n' >\(theirs)/pinentry
      chmod 755 \(theirs)/pinentry
      ln -s pinentry \(theirs)/pinentry-gtk-2
      """
    )
    let run = try person.start(
      ["token", "me"],
      variables: desk.variables + [
        "PATH=\(theirs):/usr/bin:/bin", "GTK_MODULES=false", "GTK_PATH=\(theirs)",
        "GTK_IM_MODULE=false", "PINENTRY_USER_DATA=USE_TTY=1", "XMODIFIERS=@im=false",
      ]
    )
    try openWindow()
    let process = try #require(try pinentries().first)
    #expect(try shell("readlink /proc/\(process)/exe") == "/usr/bin/pinentry-gtk-2\n")
    let names = try shell("tr '\\0' '\\n' </proc/\(process)/environ | cut -d= -f1 | sort")
    #expect(
      names == """
        DBUS_SESSION_BUS_ADDRESS
        DISPLAY
        HOME
        LANG
        PATH
        XDG_RUNTIME_DIR

        """
    )
    let path = try shell("tr '\\0' '\\n' </proc/\(process)/environ | grep ^PATH=")
    #expect(path == "PATH=/usr/bin:/bin\n")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "at_")
    #expect(try !shell("ls \(person.home)").contains("started"))
  }

  /// A program that does not react to SIGTERM is killed, and the command ends.
  @Test
  func aPinentryThatHangsIsKilled() throws {
    let run = try token()
    try openWindow()
    let process = try #require(try pinentries().first)
    halt(process)
    send(SIGTERM)
    try ends(run, 130, "interrupted")
    #expect(try pinentries().isEmpty)
    #expect(eventually { !person.readerIsOpen })
  }

  /// The check of the password ends with the command, and allows nothing.
  @Test
  func theEndOfTheCommandEndsTheCheckOfThePassword() throws {
    let (reached, _) = try person.haltPAM()
    try person.backend.clear()
    let run = try token()
    try desk.sees(Self.question)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    #expect(eventually { unsafe access(reached, F_OK) == 0 })
    send(SIGKILL)
    _ = try run.child.wait()
    #expect(eventually { processes(in: person.programs, named: "thumblatch-presence") == [] })
    try desk.run("desk.await_no_window()")
    #expect(try person.backend.requests().isEmpty)
    #expect(try person.run("token", "me").end == .exited(7))
  }
}
