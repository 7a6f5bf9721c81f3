internal import Glibc
internal import SecretMemory
internal import System
internal import TerminalIO

/// The input of scripts on standard input.
enum StandardInput {
  /// The most bytes of an access token that was rejected.
  static let maximumToken = 64 * 1024
  /// The most bytes of a static secret, which the engine refuses above that.
  static let maximumSecret = 32 * 1024

  /// One line, straight into locked memory, for `--password-stdin`; all but one final line end, LF
  /// or CR LF, if `isWhole`.
  ///
  /// `isText` demands UTF-8. It is `false` for a secret that is not sent to the engine.
  static func password(
    interrupt: Int32?,
    from number: Int32 = 0,
    option: String = "--password-stdin",
    called name: String = "password",
    most: Int = Terminal.maximumLine,
    isWhole: Bool = false,
    isText: Bool = true,
    remedy: String = "leave it out to be asked at the terminal"
  ) throws(CommandError)
    -> SharedSecret
  {
    try refuseTerminal(number, for: option, remedy: remedy)
    var failure: CommandError?
    do {
      let secret = try unsafe SecretBytes(capacity: most + 3) { buffer in
        do throws(CommandError) {
          let read = unsafe try read(into: buffer, from: number, interrupt, untilLineEnd: !isWhole)
          let count = unsafe withoutLineEnd(buffer.prefix(read))
          if unsafe buffer.prefix(count).contains(0) {
            throw .usage("a \(name) cannot hold a NUL character")
          }
          guard count > 0 else { throw .usage("the \(name) is empty") }
          guard count <= most else {
            throw longer(name, than: most)
          }
          return count
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      if isText, !secret.isText { throw CommandError.usage("the \(name) is not UTF-8") }
      return SharedSecret(secret)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.bug, "no locked memory for the \(name): \(error)")
    }
  }

  /// The error for a secret of more bytes than the vault keeps.
  static func longer(_ name: String, than most: Int) -> CommandError {
    .usage("the \(name) is longer than \(most) bytes")
  }

  /// The number of bytes without one final line end.
  private static func withoutLineEnd(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    let isLF = unsafe bytes.last == UInt8(ascii: "\n")
    guard isLF else { return unsafe bytes.count }
    let rest = unsafe bytes.dropLast()
    return unsafe rest.last == UInt8(ascii: "\r") ? rest.count - 1 : rest.count
  }

  /// All of it but one final newline, for `--rejected`.
  static func rejectedToken(
    interrupt: Int32?,
    from number: Int32 = 0
  ) throws(CommandError)
    -> String
  {
    try refuseTerminal(number, for: "--rejected", remedy: "printf %s \"$TOKEN\" | thumblatch ...")
    var bytes = [UInt8](repeating: 0, count: maximumToken + 2)
    let result: Result<Int, CommandError> = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(CommandError) in
        unsafe try read(into: buffer, from: number, interrupt, untilLineEnd: false)
      }
    }
    var token = bytes.prefix(try result.get())
    if token.last == UInt8(ascii: "\n") { token.removeLast() }
    guard !token.isEmpty else { throw .usage("the rejected token is empty") }
    guard token.count <= maximumToken else {
      throw .usage("the rejected token is longer than 64 KiB")
    }
    guard token.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw .usage("the rejected token has a character that is not allowed in a token")
    }
    return String(decoding: token, as: UTF8.self)
  }

  private static func refuseTerminal(
    _ number: Int32,
    for option: String,
    remedy: String
  ) throws(CommandError) {
    guard isatty(number) == 0 else {
      throw .usage("\(option) reads a pipe or file, not a terminal", hint: remedy)
    }
  }

  /// Fills the buffer up to a line end, or the end; poll(2) keeps Ctrl-C working.
  private static func read(
    into buffer: UnsafeMutableRawBufferPointer,
    from number: Int32,
    _ interrupt: Int32?,
    untilLineEnd: Bool
  ) throws(CommandError) -> Int {
    var count = 0
    while count < buffer.count {
      let readiness: Readiness
      do throws(SystemError) {
        readiness = try .wait(for: number, interrupt: interrupt)
      } catch {
        throw .usage("\(error)")
      }
      if readiness == .interrupted { throw .interrupted }
      // One byte at a time where a line ends the secret: the rest of the input belongs to another
      // reader.
      let want = untilLineEnd ? 1 : buffer.count - count
      let got = unsafe Glibc.read(number, buffer.baseAddress.map { unsafe $0 + count }, want)
      if got < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw .usage("standard input cannot be read: \(SystemError("read", code: errno))")
      }
      if got == 0 { return count }
      count += got
      if unsafe untilLineEnd && buffer[count - 1] == UInt8(ascii: "\n") { return count }
    }
    return count
  }
}
