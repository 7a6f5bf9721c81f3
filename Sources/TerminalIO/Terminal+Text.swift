internal import PlainText
package import SecretMemory
internal import System

// What the terminal shows. Text from elsewhere must not control it.
extension Terminal {
  /// Writes a sentence, wrapped between words.
  package func say(_ text: String) {
    // The action of a presence check is shown whole, with the requester.
    let plain = PlainText.line(text, limit: PresenceText.longestDetail + 600)
    write(PlainText.wrapped(plain, columns: columns).joined(separator: "\n") + "\n")
  }

  /// Writes a question, wrapped between words; the answer follows on its last line.
  package func ask(_ text: String) {
    let plain = PlainText.line(text)
    // One column less, so that there is one for what separates question and answer.
    var lines = PlainText.wrapped(plain, columns: max(columns - 1, 1))
    if plain.hasSuffix(" ") { lines.append((lines.popLast() ?? "") + " ") }
    let shown = lines.joined(separator: "\n")
    write(shown)
    question = shown
  }

  /// Writes a question of a check, and the messages of PAM's modules above it.
  package func ask(check text: String) {
    let lines = PresenceText.questionLines(text)
    for message in lines.dropLast() { say(message) }
    ask(lines.last ?? "")
  }

  /// Ends the line of an answer that was not shown.
  package func endLine() {
    write("\n")
  }

  /// Shows a passing remark: rewritten in place if the terminal can, else a line of its own.
  package func status(_ text: String) {
    let plain = PlainText.line(text)
    guard canRewrite else { return write(plain + "\n") }
    // One column less, so that a line which fills the terminal does not wrap and stay.
    let line = PlainText.fitted(plain, columns: columns - 1)
    try? descriptor.write("\r\u{1B}[K" + line)
    showsStatus = true
  }

  /// Removes the passing remark.
  package func clearStatus() {
    guard showsStatus else { return }
    showsStatus = false
    try? descriptor.write("\r\u{1B}[K")
  }

  /// Shows a secret of the engine's own making on a line of its own.
  package func show(_ secret: borrowing SecretBytes) {
    clearStatus()
    try? descriptor.write("\n    ")
    unsafe secret.withUnsafeBytes { bytes in try? unsafe descriptor.write(bytes) }
    try? descriptor.write("\n\n")
  }

  /// Writes text as it is, in place of the passing remark.
  package func write(_ text: String) {
    clearStatus()
    question = nil
    try? descriptor.write(text)
  }
}
