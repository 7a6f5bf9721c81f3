import AuthSession
import Glibc

// An app as others write them: it holds a session over the machine's vault, does what the lines of
// its input say, and prints what came of each as a line. Arguments: the backend's URL, the system
// password that the person types, and settings of another provider.

/// Writes a line at once: standard output is no terminal.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

let app = App(
  provider: try provider(CommandLine.arguments),
  person: Person(password: CommandLine.arguments[2])
)
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  guard !words.isEmpty else { continue }
  do throws(AuthError) {
    say("done \(try await app.perform(words))")
  } catch {
    say("failed \(error.kind), \(error.recovery): \(error)")
  }
}
