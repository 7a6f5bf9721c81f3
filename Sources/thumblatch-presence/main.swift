// The wall of this room: it uses no virtual reader.
//
// One presence check: a finger on a real reader, a real security key, or the system password.

import FingerprintReader
import Glibc
import PresenceProgram
import SecurityKey
import System

// Do this first: a variable could add a reader that reports a match at an attacker's command.
LibraryEnvironment.clear()

guard let users = ServedUsers(arguments: Array(CommandLine.arguments.dropFirst())) else { exit(2) }

let directory = (try? ThisProcess.programDirectory()) ?? InstalledProgram.libexec
PresenceProgram(
  drivers: .hardware,
  bus: PresenceProgram.systemBus,
  fprintdDirectory: PresenceProgram.fprintdDirectory,
  keys: .plugged,
  stack: PresenceProgram.installedStack(beside: directory),
  users: users
).run()
