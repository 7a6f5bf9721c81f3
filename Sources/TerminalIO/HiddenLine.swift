package import SecretMemory
internal import System

/// A line that is typed or pasted unseen, in locked memory.
package struct HiddenLine: ~Copyable {
  /// The effect of a key.
  package enum Key {
    /// The key is part of the line, or edits it.
    case character
    /// Enter.
    case end
    /// Ctrl-C, Ctrl-D, or the terminal is gone.
    case cancel
  }

  private let maximum: Int
  /// The line, and room for the next key.
  private var buffer: SecretBuffer
  private var count = 0
  private var isTooLong = false

  /// Makes an empty line of at most `maximum` bytes.
  package init(maximum: Int = Terminal.maximumLine) throws(TerminalError) {
    self.maximum = maximum
    buffer = try Self.buffer(for: maximum)
  }

  /// Reads one key from a terminal that is readable.
  package mutating func readKey(of terminal: Terminal) -> Key {
    let (next, hasRoom) = (count, count < maximum)
    return unsafe buffer.withUnsafeMutableBytes { room in
      let key = unsafe UnsafeMutableRawBufferPointer(rebasing: room[next...next])
      guard (try? unsafe terminal.descriptor.read(into: key)) == 1 else { return .cancel }
      switch unsafe key[0] {
      case 0x03, 0x04: return .cancel
      case 0x0A, 0x0D: return .end
      // Ctrl-U.
      case 0x15:
        count = 0
        isTooLong = false
      // Backspace, in either encoding, removes a whole UTF-8 character.
      case 0x7F, 0x08:
        while count > 0 {
          count -= 1
          guard unsafe room[count] & 0xC0 == 0x80 else { break }
        }
      default:
        if hasRoom { count += 1 } else { isTooLong = true }
      }
      return .character
    }
  }

  /// Wipes the typed line.
  package mutating func erase() {
    unsafe buffer.withUnsafeMutableBytes { room in
      _ = unsafe room.initializeMemory(as: UInt8.self, repeating: 0)
    }
    count = 0
    isTooLong = false
  }

  /// Returns the typed line, and begins an empty one.
  ///
  /// A truncated password would be a different one, so a line that is too long is an error.
  package mutating func take() throws(TerminalError) -> SharedSecret {
    let (typed, wasTooLong) = (count, isTooLong)
    var full = try Self.buffer(for: maximum)
    swap(&full, &buffer)
    (count, isTooLong) = (0, false)
    guard !wasTooLong else { throw .tooLong(maximum: maximum) }
    let secret = full.secret(count: typed)
    guard !secret.withBytes({ span in (0..<span.count).contains { span[$0] == 0 } }) else {
      throw .holdsNUL
    }
    // A message to the engine holds UTF-8 only.
    guard secret.isText else { throw .notText }
    return SharedSecret(secret)
  }

  private static func buffer(for maximum: Int) throws(TerminalError) -> SecretBuffer {
    do throws(SecretMemoryError) {
      return try SecretBuffer(capacity: maximum + 1)
    } catch {
      throw .noMemory(error)
    }
  }
}
