/// Locked memory that is filled bit by bit, and then becomes a secret without a copy.
@safe
package struct SecretBuffer: ~Copyable {
  private let allocation: SecretArena.Allocation
  private let base: UnsafeMutableRawPointer
  private let capacity: Int

  /// Allocates `capacity` bytes, all zero.
  package init(capacity: Int) throws(SecretMemoryError) {
    (allocation, unsafe base) = unsafe try SecretArena.shared.allocate(capacity)
    self.capacity = capacity
  }

  deinit {
    unsafe SecretArena.shared.release(allocation, base)
  }

  /// Lends the bytes.
  package func withUnsafeMutableBytes<Value, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
  }

  /// The first `count` bytes as a secret; the others are wiped with it.
  package consuming func secret(count: Int) -> SecretBytes {
    precondition(count >= 0 && count <= capacity, "more bytes than there was room for")
    let secret = unsafe SecretBytes(count: count, allocation, base)
    discard self
    return secret
  }
}
