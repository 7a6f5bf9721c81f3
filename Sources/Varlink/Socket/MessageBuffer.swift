internal import Glibc

/// The received bytes of a socket that are not read yet.
///
/// It uses ordinary memory, which grows at most to the size of one message and is wiped as messages
/// leave it. Bytes without a NUL are incomplete, not invalid. A message that can no longer end
/// within the limit is refused.
///
/// A loop takes all messages, and then receives:
///
/// ```swift
/// while true {
///   while let call = try buffer.nextCall() { ... }
///   let count = try buffer.receive { room in try socket.receive(room) }
///   if count == 0 { break }
/// }
/// ```
@safe
package struct MessageBuffer: ~Copyable, @unchecked Sendable {
  package let interface: VarlinkInterface
  private var storage = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var capacity = 0
  private var start = 0
  private var end = 0
  /// There is no NUL between `start` and this index.
  ///
  /// Bytes that were searched are not searched again.
  private var scanned = 0

  private static let smallest = 4096

  /// Makes a buffer without memory.
  ///
  /// The first bytes allocate it.
  package init(_ interface: VarlinkInterface) {
    self.interface = interface
  }

  deinit {
    unsafe wipe(storage)
    unsafe storage.deallocate()
  }

  /// The number of bytes that are not read yet.
  package var count: Int { end - start }

  /// The number of bytes of memory that it uses.
  package var footprint: Int { capacity }

  /// The number of bytes that it can still take.
  package var room: Int { interface.maximumMessage - count }

  /// Adds bytes.
  ///
  /// If there are more than `room`, it throws `tooLong` and adds none.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(MessageError) {
    guard bytes.count <= room else { throw .tooLong(maximum: interface.maximumMessage) }
    makeRoom(for: bytes.count)
    guard bytes.count > 0 else { return }
    unsafe UnsafeMutableRawBufferPointer(rebasing: storage[end...]).copyMemory(from: bytes)
    end += bytes.count
  }

  /// Lends free memory to `body`, which fills it and returns how many bytes it wrote.
  ///
  /// Returns that number. If there is no room, it returns `nil` without calling `body`: read the
  /// messages first. A count that is negative or larger than the lent memory counts as 0.
  package mutating func receive<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int? {
    guard room > 0 else { return nil }
    makeRoom(for: min(room, Self.smallest))
    let lent = min(capacity - end, room)
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[end..<end + lent])
    let received = unsafe try body(part)
    guard received > 0, received <= lent else {
      if count == 0 { release() }
      return 0
    }
    end += received
    return received
  }

  /// Whether a whole message is there for `next`.
  ///
  /// Throws `tooLong` if the message can no longer end within the limit.
  package mutating func hasMessage() throws(MessageError) -> Bool {
    if scanned < end, let base = unsafe storage.baseAddress {
      let found = unsafe memchr(base + scanned, 0, end - scanned)
      scanned = unsafe found.map { unsafe base.distance(to: $0) } ?? end
    }
    if scanned < end { return true }
    guard room > 0 else { throw .tooLong(maximum: interface.maximumMessage) }
    return false
  }

  /// The number of bytes of the next message without its NUL, or `nil` if it is not complete.
  package mutating func messageCount() throws(MessageError) -> Int? {
    try hasMessage() ? scanned - start : nil
  }

  /// The next message, not decoded, for another thread; `nil` if it is not complete.
  ///
  /// Its memory moves along if no other byte in it is unread.
  package mutating func takeMessage() throws(MessageError) -> ReceivedMessage? {
    guard try hasMessage() else { return nil }
    let interface = interface
    guard scanned + 1 == end else {
      return unsafe try next { bytes in unsafe ReceivedMessage(copying: bytes, on: interface) }
    }
    let taken = unsafe ReceivedMessage(taking: storage, start..<scanned, of: end, on: interface)
    forget()
    return taken
  }

  /// The next call, or `nil` if it is not complete.
  package mutating func nextCall() throws(MessageError) -> VarlinkCall? {
    let interface = interface
    return unsafe try next { bytes throws(MessageError) in
      unsafe try VarlinkCall(decoding: bytes, on: interface)
    }
  }

  /// The next reply, or `nil` if it is not complete.
  package mutating func nextReply() throws(MessageError) -> VarlinkReply? {
    let interface = interface
    return unsafe try next { bytes throws(MessageError) in
      unsafe try VarlinkReply(decoding: bytes, on: interface)
    }
  }

  /// Lends the next message without its NUL, then wipes it; `nil` if it is not complete.
  ///
  /// Throws `tooLong` if the message can no longer end within the limit. Close the connection then.
  package mutating func next<Value>(
    _ body: (UnsafeRawBufferPointer) throws(MessageError) -> Value
  ) throws(MessageError) -> Value? {
    guard try hasMessage() else { return nil }
    let message = start..<scanned
    defer {
      unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: storage[message]))
      scanned += 1
      start = scanned
      // The next message may come much later, and there may be many connections.
      if start == end { release() }
    }
    return unsafe try body(UnsafeRawBufferPointer(rebasing: storage[message]))
  }

  /// Wipes and frees the memory.
  ///
  /// No byte in it is unread.
  private mutating func release() {
    unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: storage[..<end]))
    unsafe storage.deallocate()
    forget()
  }

  /// Forgets the memory, which was freed or passed on.
  private mutating func forget() {
    unsafe storage = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    capacity = 0
    start = 0
    end = 0
    scanned = 0
  }

  /// Makes room for `count` more bytes after `end`.
  ///
  /// The caller has checked that `room` allows them.
  private mutating func makeRoom(for count: Int) {
    guard capacity - end < count else { return }
    var wanted = max(capacity, Self.smallest)
    while wanted - self.count < count { wanted *= 2 }
    wanted = min(wanted, interface.maximumMessage)
    let unread = start..<end
    if wanted == capacity {
      unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[unread]))
      unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: storage[unread.count..<end]))
    } else {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 16)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[unread]))
      unsafe wipe(storage)
      unsafe storage.deallocate()
      unsafe storage = larger
      capacity = wanted
    }
    scanned -= start
    end -= start
    start = 0
  }
}

/// Wipes memory in a way that the compiler does not remove: explicit_bzero(3).
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let base = bytes.baseAddress else { return }
  unsafe explicit_bzero(base, bytes.count)
}
