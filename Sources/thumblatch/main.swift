internal import Glibc

// The front answers `thumblatch [--private] token [NAME]`, and git, docker and other tools. It
// reads the file of the private engine, or calls the engine. It leaves everything else, and every
// doubt, to the command-line program.
//
// It has no concurrency runtime, no library of C and no secret. For `token` it creates neither an
// array nor a string, so that it starts in no time. It opens all files only for reading. So nothing
// can be written to one of them, even if descriptor 1 was closed at the start.

let arguments = unsafe CommandLine.unsafeArgv
if let request = unsafe TokenRequest(arguments: arguments) {
  switch request.answer() {
  case .written: exit(0)
  case .lost: CommandProgram.fail("the token could not be written", status: 1)
  case .notKnown, .begun: break
  }
} else if let call = unsafe ToolCall(arguments: arguments) {
  var input = ToolInput()
  switch call.answer(&input) {
  case .written: exit(0)
  case .lost: CommandProgram.fail("the answer could not be written", status: 1)
  case .begun:
    guard let rest = input.handOver() else {
      CommandProgram.fail("the request could not be passed on", status: 1)
    }
    unsafe CommandProgram.continue(arguments: arguments, input: rest)
  case .notKnown: break
  }
  guard input.giveBack() else {
    CommandProgram.fail("the request could not be passed on", status: 1)
  }
}
unsafe CommandProgram.replaceThisProcess(arguments: arguments)
