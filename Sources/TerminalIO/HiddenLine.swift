package import SecretMemory
internal import System

/// A line that is typed or pasted unseen, in locked memory that is lent for one dialogue.
@safe
package struct HiddenLine {
  /// The effect of a key.
  package enum Key {
    /// The key is part of the line, or edits it.
    case character
    /// Enter.
    case end
    /// Ctrl-C, Ctrl-D, or the terminal is gone.
    case cancel
  }

  private let room: UnsafeMutableRawBufferPointer
  private var count = 0
  private var isTooLong = false

  private init(_ room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// Runs `body` with a line of at most `maximum` bytes.
  ///
  /// Its memory is locked during the run, and wiped afterwards.
  package static func lend<Value>(
    maximum: Int = Terminal.maximumLine,
    _ body: (inout HiddenLine) throws(TerminalError) -> Value
  ) throws(TerminalError) -> Value {
    var outcome: Result<Value, TerminalError>?
    do throws(SecretMemoryError) {
      // The extra byte is the buffer for the next key.
      _ = unsafe try SecretBytes(capacity: maximum + 1) { room in
        var line = unsafe HiddenLine(room)
        outcome = Result { () throws(TerminalError) in try body(&line) }
        return 0
      }
    } catch {
      throw .noMemory(error)
    }
    guard let outcome else { throw .interrupted }
    return try outcome.get()
  }

  /// Reads one key from a terminal that is readable.
  package mutating func readKey(of terminal: Terminal) -> Key {
    let next = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...count])
    guard (try? unsafe terminal.descriptor.read(into: next)) == 1 else { return .cancel }
    switch unsafe room[count] {
    case 0x03, 0x04: return .cancel
    case 0x0A, 0x0D: return .end
    // Ctrl-U.
    case 0x15: erase()
    // Backspace, in either encoding, removes a whole UTF-8 character.
    case 0x7F, 0x08:
      while count > 0 {
        count -= 1
        guard unsafe room[count] & 0xC0 == 0x80 else { break }
      }
    default:
      if unsafe count + 1 < room.count { count += 1 } else { isTooLong = true }
    }
    return .character
  }

  /// Wipes the typed line.
  package mutating func erase() {
    unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
    count = 0
    isTooLong = false
  }

  /// Returns the typed line, and wipes it here.
  ///
  /// A truncated password would be a different one, so a line that is too long is an error.
  package mutating func take() throws(TerminalError) -> SharedSecret {
    defer { erase() }
    guard !isTooLong else { throw .tooLong(maximum: unsafe room.count - 1) }
    let typed = unsafe UnsafeRawBufferPointer(rebasing: room[..<count])
    guard unsafe !typed.contains(0) else { throw .holdsNUL }
    do throws(SecretMemoryError) {
      return SharedSecret(unsafe try SecretBytes(copying: typed))
    } catch {
      throw .noMemory(error)
    }
  }
}
