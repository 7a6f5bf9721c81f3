internal import Glibc
internal import JSON
internal import PlainText
internal import SecretMemory
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// All that the program says; nothing else writes to standard output.
///
/// Data is written to standard output, messages to standard error, and the presence dialogue to the
/// person's terminal, because the other two may be files. Callers hand over text as it is; it is
/// made harmless here.
final class Output {
  /// Whether results and errors are JSON objects on standard output.
  let json: Bool
  private let out: Int32
  private let error: Int32
  private let coloured: Bool
  /// Names the vault in the commands of messages.
  var commands = CommandText()
  /// Whether a terminal may be coloured at all.
  private let mayColour: Bool
  private var terminal: Terminal?

  /// Speaks through descriptors that outlive this object.
  init(json: Bool, out: Int32 = 1, error: Int32 = 2, environment: (String) -> String?) {
    self.json = json
    self.out = out
    self.error = error
    let kind = environment("TERM")
    mayColour =
      (environment("NO_COLOR") ?? "").isEmpty && kind != nil && kind != "" && kind != "dumb"
    coloured = mayColour && isatty(error) == 1
  }

  /// The columns of standard output, nil if it is no terminal: then nothing is cut.
  var columns: Int? { isatty(out) == 1 ? Terminal.columns(of: out) ?? 80 : nil }

  // MARK: Data

  /// One result on standard output, as it is: a token, or text made by `PlainText`.
  func data(_ text: String) throws(CommandError) {
    try data(bytes: [UInt8](text.utf8) + [UInt8(ascii: "\n")])
  }

  /// One result as a JSON object on one line.
  func data(_ object: JSONObject) throws(CommandError) {
    let json = try writing { try JSONWriter.write(.object(object)) }
    try data(PlainText.json(String(decoding: json, as: UTF8.self)))
  }

  /// A secret on standard output, from locked memory; only `release` prints one.
  func data(_ secret: borrowing SecretBytes) throws(CommandError) {
    try writing {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try write(bytes, to: out)
      }
    }
    try data(bytes: [UInt8(ascii: "\n")])
  }

  /// Whether standard output is a terminal, where bytes from elsewhere would be obeyed.
  var isTerminal: Bool { isatty(out) == 1 }

  /// Bytes of a body on standard output, as they are.
  func data(bytes: [UInt8]) throws(CommandError) {
    try writing { try write(bytes, to: out) }
  }

  /// Writes the messages of another process of this program.
  func pass(_ messages: [UInt8]) { try? write(messages, to: error) }

  /// One result that holds a secret as a JSON object on one line.
  func secret(_ object: JSONObject) throws(CommandError) {
    try data(try writing { try JSONWriter.writeSecret(.object(object)) })
  }

  /// Writes a secret and a line end to a descriptor of the caller.
  func write(
    _ secret: borrowing SecretBytes,
    toDescriptor number: Int32
  ) throws(CommandError) {
    // If the reader has closed the pipe, SIGPIPE would end this program without a message.
    ThisProcess.ignoreWriteSignals()
    do throws(SystemError) {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        try unsafe write(bytes, to: number)
      }
      try write([UInt8(ascii: "\n")], to: number)
      try Self.synchronize(number)
    } catch {
      throw .usage("descriptor \(number) cannot be written: \(error)", hint: "nothing was changed")
    }
  }

  /// Makes a file durable (fsync(2): EINVAL or EROFS for a pipe, a socket or a terminal).
  private static func synchronize(_ number: Int32) throws(SystemError) {
    guard fsync(number) == 0 || [EINVAL, EROFS].contains(errno) else {
      throw SystemError("fsync", code: errno)
    }
  }

  private func writing<Value: ~Copyable>(_ body: () throws -> Value) throws(CommandError) -> Value {
    do { return try body() } catch {
      throw CommandError(.bug, "the result could not be written: \(error)")
    }
  }

  // MARK: Talk

  /// A sentence about what was done, on standard error; nothing with `--json`.
  func talk(_ text: String) {
    guard !json else { return }
    warn(text)
  }

  /// A warning on standard error, with `--json` too: standard output stays one object.
  func warn(_ text: String) {
    clearStatus()
    let line = PlainText.line(commands.adapted(text), limit: 1200)
    try? write([UInt8]((broken(line) + "\n").utf8), to: error)
  }

  /// The reason of the failure and the advice, on a line each: a line end inside could forge the
  /// second one.
  func fail(_ failure: CommandError) {
    clearStatus()
    if failure.isSaid { return }
    let failure = commands.adapted(failure)
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
      // If standard output accepts nothing, that is the failure, and is reported like any other
      // error.
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

  /// Lines that end between words, where standard error is a terminal; a word is never broken, so
  /// that it can be copied.
  private func broken(_ line: String) -> String {
    guard isatty(error) == 1, let columns = Terminal.columns(of: error) else { return line }
    return PlainText.wrapped(line, columns: columns).joined(separator: "\n")
  }

  // MARK: The dialogue

  /// Uses a terminal for what follows.
  func speak(through terminal: Terminal) {
    self.terminal = terminal
  }

  /// Lines of the dialogue, broken at words to the terminal's width.
  func say(_ text: String) { terminal?.say(commands.adapted(text)) }

  /// A question, broken at words to the terminal's width; the answer follows on its last line.
  func ask(_ text: String) { terminal?.ask(commands.adapted(text)) }

  /// Ends the line of an answer that was not shown.
  func endLine() { terminal?.endLine() }

  /// A passing remark: rewritten in place where the terminal can, else a line of its own.
  func status(_ text: String) { terminal?.status(commands.adapted(text)) }

  /// Removes the transient line.
  func clearStatus() { terminal?.clearStatus() }

  // MARK: What must be seen

  /// A sentence that a person needs, wherever one may look: at the terminal, else on standard
  /// error.
  func announce(_ text: String) {
    if terminal == nil { warn(text) } else { say(text) }
  }

  /// Lines as they are, with an empty one before and after: addresses and codes, which nothing may
  /// break; `paint` is an escape sequence's middle, for terminals that know colours.
  func announce(lines: [String], painted colour: String? = nil) {
    clearStatus()
    let paints = terminal?.canRewrite == true && mayColour
    let plain = lines.map { commands.adapted($0) }.map { line in
      guard paints, let colour else { return PlainText.line(line, limit: 8192) }
      return "\u{1B}[\(colour)m\(PlainText.line(line, limit: 8192))\u{1B}[0m"
    }
    let text = "\n" + plain.joined(separator: "\n") + "\n\n"
    if let terminal { return terminal.write(text) }
    try? write([UInt8](text.utf8), to: error)
  }

  /// The columns of a terminal whose colours can be set, for a picture; `nil` if there is none.
  var pictureColumns: Int? {
    guard let terminal, terminal.canRewrite, mayColour else { return nil }
    return terminal.columns
  }

  /// Whether a status can be brought up to date again and again.
  var canRewriteStatus: Bool { terminal?.canRewrite == true }

  // MARK: Below

  private func paint(_ text: String, _ colour: String) -> String {
    coloured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
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
        // A process that shares the pipe may have made it non-blocking.
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, 1000)
      } else if wrote == 0 || errno != EINTR {
        throw SystemError("write", code: wrote == 0 ? EIO : errno)
      }
    }
  }
}
