internal import System

/// A secret: bytes in locked memory that are wiped with their owner.
///
/// It cannot be copied or printed: there is no `Collection`, no `Codable`, and no description. It
/// is lent into a closure, and code that copies it out is responsible for the copy.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  /// The most bytes that one secret may have.
  public static let maximumCount = 128 * 1024

  /// The number of bytes.
  public let count: Int
  private let allocation: SecretArena.Allocation
  private let base: UnsafeMutableRawPointer

  /// Takes over memory of the arena.
  init(count: Int, _ allocation: SecretArena.Allocation, _ base: UnsafeMutableRawPointer) {
    self.count = count
    self.allocation = allocation
    unsafe self.base = base
  }

  /// Allocates `capacity` bytes that `body` fills, through a pointer that is valid only there.
  ///
  /// `body` returns the number of written bytes.
  ///
  /// - Throws: the error of `body` (the bytes are wiped), or `SecretMemoryError`.
  public init(
    capacity: Int,
    initializingWith body: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    let (allocation, base) = unsafe try SecretArena.shared.allocate(capacity)
    do {
      let count = unsafe try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
      precondition(count >= 0 && count <= capacity, "more bytes than there was room for")
      self.count = count
    } catch {
      unsafe SecretArena.shared.release(allocation, base)
      throw error
    }
    self.allocation = allocation
    unsafe self.base = base
  }

  /// Allocates `capacity` bytes that `body` fills without failing; `body` returns the number of
  /// written bytes.
  public init(
    capacity: Int,
    initializingWith body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(SecretMemoryError) {
    let (allocation, base) = unsafe try SecretArena.shared.allocate(capacity)
    let count = unsafe body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
    precondition(count >= 0 && count <= capacity, "more bytes than there was room for")
    self.count = count
    self.allocation = allocation
    unsafe self.base = base
  }

  /// Copies bytes from elsewhere; the caller must wipe the original.
  public init(copying bytes: UnsafeRawBufferPointer) throws(SecretMemoryError) {
    let (allocation, base) = unsafe try SecretArena.shared.allocate(bytes.count)
    unsafe copySecret(bytes, to: base)
    count = bytes.count
    self.allocation = allocation
    unsafe self.base = base
  }

  /// Copies bytes that are already in ordinary memory, such as a test's.
  public init(copying bytes: [UInt8]) throws(SecretMemoryError) {
    let (allocation, base) = unsafe try SecretArena.shared.allocate(bytes.count)
    unsafe UnsafeMutableRawBufferPointer(start: base, count: bytes.count).copyBytes(from: bytes)
    count = bytes.count
    self.allocation = allocation
    unsafe self.base = base
  }

  /// A separate secret with the same bytes.
  public func copy() throws(SecretMemoryError) -> SecretBytes {
    unsafe try SecretBytes(copying: UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Random bytes from the kernel (getrandom(2)).
  public static func random(count: Int) throws(SecretMemoryError) -> SecretBytes {
    var failure: SystemError?
    let secret = unsafe try SecretBytes(capacity: count) { buffer in
      do throws(SystemError) {
        unsafe try ThisProcess.fillRandom(buffer)
      } catch {
        failure = error
      }
      return buffer.count
    }
    if let failure { throw .noRandom(failure) }
    return secret
  }

  /// Leaves no locked memory mapped while there is no secret, from now on.
  ///
  /// The kernel does not hibernate while a process has memory of memfd_secret(2), so a program that
  /// runs as long as a session calls this. Each first secret then maps a region, which takes 40 µs.
  package static func keepNoMemory() {
    SecretArena.shared.keepNothing()
  }

  /// The weakest protection of any secret in this process.
  ///
  /// If there is no secret, it is that which the next one gets.
  package static var protection: Protection {
    get throws(SecretMemoryError) {
      switch try SecretArena.shared.protection() {
      case .secretMemory: .secretMemory
      case .locked: .locked
      case .ordinary: .ordinary
      }
    }
  }

  package enum Protection: Sendable, Equatable, CaseIterable {
    /// memfd_secret(2): not even root can read it through /proc/PID/mem.
    case secretMemory
    /// mlock(2): never swapped.
    case locked
    /// RLIMIT_MEMLOCK left no room for the others: it may be swapped, but is not dumped.
    case ordinary
  }

  deinit {
    unsafe SecretArena.shared.release(allocation, base)
  }

  /// Lends the bytes.
  public func withUnsafeBytes<Value: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Lends the bytes as a span.
  public func withBytes<Value: ~Copyable, Failure: Error>(
    _ body: (borrowing Span<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let buffer = unsafe UnsafeRawBufferPointer(start: base, count: count)
    return unsafe try body(buffer.bindMemory(to: UInt8.self).span)
  }

  /// Whether the bytes are UTF-8.
  package var isText: Bool {
    unsafe UnsafeRawBufferPointer(start: base, count: count).isText
  }

  /// Whether both hold the same bytes, in constant time.
  public static func constantTimeEqual(
    _ left: borrowing SecretBytes,
    _ right: borrowing SecretBytes
  ) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count {
      difference |=
        unsafe left.base.load(fromByteOffset: index, as: UInt8.self)
        ^ right.base.load(fromByteOffset: index, as: UInt8.self)
    }
    return difference == 0
  }
}

/// A reference to one secret, for copyable trees of values.
///
/// The secret itself is never copied, and is wiped with its last reference.
public final class SharedSecret: Sendable {
  /// The secret.
  public let bytes: SecretBytes

  /// Takes over a secret.
  public init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8.
  package var isText: Bool {
    let span = unsafe bindMemory(to: UInt8.self).span
    return (try? UTF8Span(validating: span)) != nil
  }
}
