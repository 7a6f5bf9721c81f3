internal import Glibc
internal import JSON
internal import PlainText
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// All output of the program; no other code writes to the terminal or to standard output.
///
/// Data goes to standard output, and messages to standard error. The presence dialogue goes to the
/// person's terminal, because the other two may be files. Callers pass text as it is, and this
/// class escapes it.
final class Output {
  /// Whether results and errors are JSON objects on standard output.
  let json: Bool
  private let out: Int32
  private let error: Int32
  private let coloured: Bool
  /// Whether a terminal may be coloured at all.
  private let mayColour: Bool
  private var terminal: Terminal?
  /// Whether the terminal shows a status line that the next text must replace.
  private var statusStands = false

  /// Writes to descriptors that outlive this object.
  init(json: Bool, out: Int32 = 1, error: Int32 = 2, environment: (String) -> String?) {
    self.json = json
    self.out = out
    self.error = error
    let kind = environment("TERM")
    mayColour =
      (environment("NO_COLOR") ?? "").isEmpty && kind != nil && kind != "" && kind != "dumb"
    coloured = mayColour && isatty(error) == 1
  }

  /// The columns of standard output; `nil` if it is not a terminal.
  var columns: Int? { isatty(out) == 1 ? Terminal.columns(of: out) ?? 80 : nil }

  // MARK: Data

  /// Prints a result on standard output as it is: a token, or text made by `PlainText`.
  func data(_ text: String) throws(CommandError) {
    do {
      try write([UInt8](text.utf8) + [UInt8(ascii: "\n")], to: out)
    } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
  }

  /// Prints a result as a JSON object on one line.
  func data(_ object: JSONObject) throws(CommandError) {
    do {
      let text = String(decoding: try JSONWriter.write(.object(object)), as: UTF8.self)
      try write([UInt8](PlainText.json(text).utf8) + [UInt8(ascii: "\n")], to: out)
    } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
  }

  /// Prints a secret from locked memory on standard output.
  ///
  /// Only `release` prints one.
  func data(_ secret: borrowing SecretBytes) throws(CommandError) {
    do {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try write(bytes, to: out)
      }
      try write([UInt8(ascii: "\n")], to: out)
    } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
  }

  /// Whether standard output is a terminal, which would obey control characters from outside.
  var isTerminal: Bool { isatty(out) == 1 }

  /// Prints the bytes of a body on standard output as they are.
  func data(bytes: [UInt8]) throws(CommandError) {
    do {
      try write(bytes, to: out)
    } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
  }

  /// Prints a result with a secret as a JSON object on one line.
  func secret(_ object: JSONObject) throws(CommandError) {
    let line: SecretBytes
    do { line = try JSONWriter.writeSecret(.object(object)) } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
    try data(line)
  }

  // MARK: Messages

  /// Prints a sentence about the result on standard error; prints nothing with `--json`.
  func talk(_ text: String) {
    guard !json else { return }
    warn(text)
  }

  /// Prints a warning on standard error, also with `--json`: standard output stays one object.
  func warn(_ text: String) {
    clearStatus()
    try? write([UInt8]((broken(PlainText.line(text, limit: 1200)) + "\n").utf8), to: error)
  }

  /// Prints a failure and its hint, one line each.
  ///
  /// A line end inside the failure could forge a hint, so it is escaped.
  func fail(_ failure: CommandError) {
    clearStatus()
    if failure.isSaid { return }
    if json {
      let error: JSONObject = [
        "code": .string(failure.code.name), "message": .string(failure.message),
        "hint": failure.hint.map { .string($0) } ?? .null,
        "reason": failure.reason.map { .string($0.rawValue) } ?? .null,
        "status": failure.status.map { .integer(Int64($0)) } ?? .null,
        "fields": .array(
          failure.fields.map {
            .object(["field": .string($0.field), "message": .string($0.message)])
          }
        ),
      ]
      // If standard output fails, that failure is printed like any other error.
      var object = failure.facts
      object["error"] = .object(error)
      if (try? data(object)) != nil { return }
    }
    var lines = told("thumblatch: error:", "1;31", failure.message)
    if let hint = failure.hint { lines += "\n" + told("hint:", "36", hint) }
    try? write([UInt8]((lines + "\n").utf8), to: error)
  }

  private func told(_ prefix: String, _ colour: String, _ text: String) -> String {
    let whole = broken(
      prefix.replacing(" ", with: "\u{A0}") + " " + PlainText.line(text, limit: 1200)
    )
    return paint(prefix, colour) + whole.dropFirst(prefix.count)
  }

  /// The lines, broken between words if standard error is a terminal.
  ///
  /// Text without spaces stays whole, so that it can be copied.
  private func broken(_ line: String) -> String {
    guard isatty(error) == 1, let columns = Terminal.columns(of: error) else {
      return line
    }
    return PlainText.wrapped(line, columns: columns).joined(separator: "\n")
  }

  // MARK: The dialogue

  /// Uses a terminal for what follows.
  func speak(through terminal: Terminal) {
    self.terminal = terminal
  }

  /// Prints lines of the dialogue, broken at words to the terminal's width.
  func say(_ text: String) {
    clearStatus()
    guard let terminal else { return }
    // The purpose of a presence check and its requester are shown completely.
    let plain = PlainText.line(text, limit: PresenceText.longestDetail + 600)
    let lines = PlainText.wrapped(plain, columns: terminal.columns)
    writeToTerminal(lines.joined(separator: "\n") + "\n")
  }

  /// Prints a question, broken at words to the terminal's width; the answer follows on its last line.
  func ask(_ text: String) {
    clearStatus()
    guard let terminal else { return }
    let plain = PlainText.line(text)
    // One column less, to leave room for the space before the answer.
    var lines = PlainText.wrapped(plain, columns: max(terminal.columns - 1, 1))
    if plain.hasSuffix(" ") { lines.append((lines.popLast() ?? "") + " ") }
    writeToTerminal(lines.joined(separator: "\n"))
  }

  /// Ends the line of an answer that was not shown.
  func endLine() {
    writeToTerminal("\n")
  }

  /// Prints a status: rewritten in place if the terminal can do that, else on a line of its own.
  func status(_ text: String) {
    guard let terminal else { return }
    let plain = PlainText.line(text)
    guard terminal.canRewrite else { return writeToTerminal(plain + "\n") }
    // One column less, because a line that fills the terminal would wrap and remain.
    writeToTerminal("\r\u{1B}[K" + PlainText.fitted(plain, columns: terminal.columns - 1))
    statusStands = true
  }

  /// Removes the status.
  func clearStatus() {
    guard statusStands else { return }
    statusStands = false
    writeToTerminal("\r\u{1B}[K")
  }

  // MARK: What must be seen

  /// Prints a sentence that the person must see: at the terminal, else on standard error.
  func announce(_ text: String) {
    if terminal == nil { warn(text) } else { say(text) }
  }

  /// Prints lines as they are, with an empty line before and after, such as addresses and codes.
  ///
  /// They are never broken. `colour` is the middle of an escape sequence for terminals with colours.
  func announce(lines: [String], painted colour: String? = nil) {
    clearStatus()
    let paints = terminal?.canRewrite == true && mayColour
    let plain = lines.map { line in
      guard paints, let colour else { return PlainText.line(line, limit: 8192) }
      return "\u{1B}[\(colour)m\(PlainText.line(line, limit: 8192))\u{1B}[0m"
    }
    let text = "\n" + plain.joined(separator: "\n") + "\n\n"
    guard terminal == nil else { return writeToTerminal(text) }
    try? write([UInt8](text.utf8), to: error)
  }

  /// The columns of a terminal whose colours can be set, for a picture; `nil` if there is none.
  var pictureColumns: Int? {
    guard let terminal, terminal.canRewrite, mayColour else { return nil }
    return terminal.columns
  }

  /// Whether a status can be updated in place.
  var canRewriteStatus: Bool { terminal?.canRewrite == true }

  // MARK: Below

  private func paint(_ text: String, _ colour: String) -> String {
    coloured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
  }

  private func writeToTerminal(_ text: String) {
    guard let terminal else { return }
    try? write([UInt8](text.utf8), to: terminal.descriptor.number)
  }

  private func write(_ bytes: [UInt8], to number: Int32) throws(SystemError) {
    let result: Result<Void, SystemError> = unsafe bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in unsafe try self.write(buffer, to: number) }
    }
    try result.get()
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to number: Int32) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let wrote = unsafe Glibc.write(number, rest.baseAddress, rest.count)
      if wrote > 0 {
        done += wrote
      } else if wrote < 0 && errno == EAGAIN {
        // Another process with the same pipe may have made it non-blocking.
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, 1000)
      } else if wrote == 0 || errno != EINTR {
        throw SystemError("write", code: wrote == 0 ? EIO : errno)
      }
    }
  }
}
