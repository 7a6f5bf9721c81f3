internal import Glibc

// The front: answers `thumblatch [--private] token [NAME]` from the file that the engine keeps for
// it, and leaves everything else, and every doubt, to the command-line program.
//
// It has no concurrency runtime, no library and no secret, and makes neither an array nor a string
// on its way: that is why it starts in no time. All that it opens is open for reading alone, so
// that nothing is written to a file of its own even where descriptor 1 was closed at the start.

let arguments = unsafe CommandLine.unsafeArgv
if let request = unsafe TokenRequest(arguments: arguments) {
  switch request.answer() {
  case .written: exit(0)
  case .lost: CommandProgram.fail("the token could not be written", status: 1)
  case .notKnown: break
  }
}
unsafe CommandProgram.replaceThisProcess(arguments: arguments)
