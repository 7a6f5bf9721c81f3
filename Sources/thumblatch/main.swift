internal import Glibc
internal import System

// The front: answers `thumblatch [--private] token [NAME]` from the file that the engine keeps for
// it, and leaves everything else, and every doubt, to the command-line program.
//
// It has no concurrency runtime, no library and no secret: that is why it starts in no time. All
// that it opens is open for reading alone, so that nothing is written to a file of its own even
// where descriptor 1 was closed when it was started.

let arguments = unsafe CommandLine.unsafeArgv
if let token = unsafe TokenRequest(arguments: arguments)?.cachedToken() {
  exit(token.writeToStandardOutput() ? 0 : 1)
}
unsafe CommandProgram.replaceThisProcess(arguments: arguments)
