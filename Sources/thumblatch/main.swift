internal import Glibc

// The front: answers `thumblatch [--private] token [NAME]` from the file that the private engine
// keeps for it, or with one call to the service, and leaves everything else, and every doubt, to the
// command-line program.
//
// It has no concurrency runtime, no library and no secret, and makes neither an array nor a string
// on its way: that is why it starts in no time. All files that it opens are open for reading alone,
// so that nothing is written to one of its own even where descriptor 1 was closed at the start.

let arguments = unsafe CommandLine.unsafeArgv
if let request = unsafe TokenRequest(arguments: arguments) {
  switch request.answer() {
  case .written: exit(0)
  case .lost: CommandProgram.fail("the token could not be written", status: 1)
  case .notKnown: break
  }
}
unsafe CommandProgram.replaceThisProcess(arguments: arguments)
