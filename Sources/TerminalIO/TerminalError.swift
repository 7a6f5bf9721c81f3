package import SecretMemory
package import System

/// Why nothing was read at the terminal.
package enum TerminalError: Error, Equatable {
  /// The interrupt descriptor became readable.
  case interrupted
  /// The line has more than `maximum` bytes.
  case tooLong(maximum: Int)
  /// The secret holds a NUL character, where a C library would cut it.
  case holdsNUL
  /// The line is not UTF-8.
  case notText
  /// There is no locked memory for a secret.
  case noMemory(SecretMemoryError)
  /// A system call failed.
  case system(SystemError)
}
