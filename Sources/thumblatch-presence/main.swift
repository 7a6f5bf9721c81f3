// One presence check: a finger on a real reader, or the system password.

import FingerprintReader
import Glibc
import PresenceProgram
import System

// First of all: a variable could bring a reader that says what its owner wants.
LibraryEnvironment.clear()

guard let users = ServedUsers(arguments: Array(CommandLine.arguments.dropFirst())) else { exit(2) }

let directory = (try? ThisProcess.programDirectory()) ?? InstalledProgram.libexec
PresenceProgram(
  drivers: .hardware,
  bus: PresenceProgram.systemBus,
  fprintdDirectory: PresenceProgram.fprintdDirectory,
  stack: PresenceProgram.installedStack(beside: directory),
  users: users
).run()
