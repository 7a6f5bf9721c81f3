package import System
internal import Varlink

extension Connection {
  /// The most bytes that are copied at once.
  private static let pieceCount = 16 * 1024
  /// How long nothing may be sent, in seconds: longer than a presence check takes.
  private static let idleTime: Int64 = 900
  /// How long the receiver may take for a piece, in seconds.
  private static let sendingTime: Int64 = 30

  /// Lends the connection to a program on another socket, until one of the two ends it.
  ///
  /// The messages are copied unchanged. The engine decides what the program may do. A connection on
  /// which nothing is sent for a quarter of an hour is ended. `whenWaiting` is called after each
  /// piece, and says whether a call of the program waits for its last reply.
  package func lend(
    to program: borrowing Descriptor,
    whenWaiting: (Bool) -> Void
  ) throws(SystemError) {
    try program.setNonblocking(true)
    var calls = OpenCalls()
    // `nil` while the program may send more. It is readable when the program has left.
    var leaving: ReadyQueue?
    while true {
      switch try Readiness.wait(
        for: socket.number,
        input: leaving == nil ? program.number : nil,
        interrupt: leaving?.number,
        deadline: BootInstant.now.advanced(bySeconds: Self.idleTime)
      ) {
      case .ready:
        guard unsafe try Self.carry(from: socket, to: program, { unsafe calls.addReplies($0) })
        else { return }
      case .input:
        if unsafe try Self.carry(from: program, to: socket, { unsafe calls.addCalls($0) }) { break }
        // A shell's `printf ... | socat` sends no more, and waits for its answers.
        guard calls.count > 0, try program.hasEnded() else { return }
        socket.shutDownSending()
        leaving = try Self.end(of: program)
      case .interrupted, .timedOut: return
      }
      whenWaiting(calls.count > 0)
    }
  }

  /// A queue that is ready when the other side has closed a socket in both directions.
  private static func end(of program: borrowing Descriptor) throws(SystemError) -> ReadyQueue {
    let queue = try ReadyQueue()
    try queue.add(program, token: 0)
    try queue.change(program, token: 0, readable: false, writable: false)
    return queue
  }

  /// Carries the bytes that have arrived; false if the sender has ended, or the receiver takes
  /// nothing.
  private static func carry(
    from sender: borrowing Descriptor,
    to receiver: borrowing Descriptor,
    _ count: (UnsafeRawBufferPointer) -> Void
  ) throws(SystemError) -> Bool {
    let result: Result<Bool, SystemError> = unsafe withUnsafeTemporaryAllocation(
      byteCount: pieceCount,
      alignment: 1
    ) { room in
      Result { () throws(SystemError) in
        guard let length = unsafe try sender.receive(into: room)?.count else { return true }
        guard length > 0 else { return false }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: room[..<length])
        unsafe count(bytes)
        return unsafe try pass(bytes, to: receiver)
      }
    }
    return try result.get()
  }

  private static func pass(
    _ bytes: UnsafeRawBufferPointer,
    to receiver: borrowing Descriptor
  ) throws(SystemError) -> Bool {
    let deadline = BootInstant.now.advanced(bySeconds: sendingTime)
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      if let sent = unsafe try receiver.send(rest) {
        done += sent
        continue
      }
      let readiness = try Readiness.wait(
        for: receiver.number,
        writing: true,
        interrupt: nil,
        deadline: deadline
      )
      guard readiness == .ready else { return false }
    }
    return true
  }
}
