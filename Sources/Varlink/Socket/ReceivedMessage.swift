/// A whole message that was taken out of its buffer, to be decoded on another thread.
///
/// Its memory is wiped with the last reference to it.
@safe
package final class ReceivedMessage: @unchecked Sendable {
  private let interface: VarlinkInterface
  private let storage: UnsafeMutableRawBufferPointer
  private let message: Range<Int>
  /// The number of bytes of the memory that were written.
  private let used: Int

  /// Takes over memory that contains a message.
  init(
    taking storage: UnsafeMutableRawBufferPointer,
    _ message: Range<Int>,
    of used: Int,
    on interface: VarlinkInterface
  ) {
    unsafe self.storage = storage
    self.message = message
    self.used = used
    self.interface = interface
  }

  /// Copies a message into memory of its own.
  package init(copying bytes: UnsafeRawBufferPointer, on interface: VarlinkInterface) {
    unsafe storage = .allocate(byteCount: max(1, bytes.count), alignment: 16)
    unsafe storage.copyMemory(from: bytes)
    message = 0..<bytes.count
    used = bytes.count
    self.interface = interface
  }

  deinit {
    unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: storage[..<used]))
    unsafe storage.deallocate()
  }

  /// The number of bytes of memory that it uses.
  package var footprint: Int { unsafe storage.count }

  package func call() throws(MessageError) -> VarlinkCall {
    unsafe try VarlinkCall(
      decoding: UnsafeRawBufferPointer(rebasing: storage[message]),
      on: interface
    )
  }
}
