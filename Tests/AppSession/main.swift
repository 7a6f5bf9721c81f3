import Glibc
import ThumblatchKit

// An app as another developer would write it. It holds a session over the machine's vault, carries
// out the lines of its input, and prints the outcome of each as a line. Arguments: the backend's
// URL, the system password that the person types, and settings of another provider.

/// Writes a line at once, because standard output is not a terminal.
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
