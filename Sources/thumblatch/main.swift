internal import Glibc

// The front answers `thumblatch [--private] token [NAME]`. It reads the file of the private engine,
// or makes one call to the service. It leaves everything else, and every doubt, to the command-line
// program.
//
// It has no concurrency runtime, no library and no secret, and creates neither an array nor a
// string, so that it starts in no time. It opens all files only for reading. So nothing can be
// written to one of them, even if descriptor 1 was closed at the start.

let arguments = unsafe CommandLine.unsafeArgv
if let request = unsafe TokenRequest(arguments: arguments) {
  switch request.answer() {
  case .written: exit(0)
  case .lost: CommandProgram.fail("the token could not be written", status: 1)
  case .notKnown: break
  }
}
unsafe CommandProgram.replaceThisProcess(arguments: arguments)
