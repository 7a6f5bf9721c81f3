// One presence check: a finger on a real reader, or the system password.

import FingerprintReader
import PresenceProgram
import System

// First of all: a variable could bring a reader that says what its owner wants.
LibraryEnvironment.clear()

let directory = (try? ThisProcess.programDirectory()) ?? InstalledProgram.libexec
PresenceProgram(
  drivers: .hardware,
  bus: PresenceProgram.systemBus,
  fprintdDirectory: PresenceProgram.fprintdDirectory,
  stack: PresenceProgram.installedStack(beside: directory)
).run()
