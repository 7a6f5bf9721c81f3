internal import Glibc

/// A failed system call: its name and the kernel's error code.
///
/// The text never holds data that was read or written. It holds a path only if the caller put a
/// name into `subject`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call or step that failed, such as `openat`.
  public let call: String
  /// The error number (errno(3)), positive.
  public let code: Int32
  /// The file or peer of the call, if the caller named one.
  public let subject: String?

  /// Makes an error from a call's name and its error number.
  public init(_ call: String, code: Int32, subject: String? = nil) {
    self.call = call
    self.code = code
    self.subject = subject
  }

  /// The call, the subject, and the C library's text for the code (strerror_r(3)).
  public var description: String {
    let reason = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress else { return "error \(code)" }
      guard unsafe strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
      return unsafe String(cString: base)
    }
    let subject = subject.map { " \($0)" } ?? ""
    let limit = self.limit.map { " (\($0.sentence))" } ?? ""
    return "\(call)\(subject): \(reason)\(limit)"
  }
}

/// Turns the `-errno` of a CLinux function into an error, and returns every other value.
@discardableResult
func check(_ value: Int, _ call: String, subject: String? = nil) throws(SystemError) -> Int {
  guard value >= 0 else {
    throw SystemError(call, code: Int32(truncatingIfNeeded: -value), subject: subject)
  }
  return value
}
