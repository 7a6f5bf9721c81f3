internal import Glibc
package import SecretMemory
package import System

/// A connection to the port that waits for the redirect.
package final class RedirectConnection {
  /// The time limit for the request's head, in seconds.
  static let headLimit: Int64 = 10
  /// The time limit for the peer to disconnect after an answer, in seconds.
  static let drainLimit: Int64 = 2
  /// The most bytes that are discarded after an answer.
  static let maximumDrain = 1024 * 1024

  enum Phase: Equatable {
    /// The head is not complete.
    case reading
    /// The answer was sent.
    ///
    /// Closing a socket with unread bytes resets the connection (RFC 9293, section 3.10.4), and the
    /// answer may be lost. So further bytes are read and discarded.
    case draining
  }

  let socket: Descriptor
  private(set) var phase = Phase.reading
  private(set) var deadline = BootInstant.now.advanced(bySeconds: headLimit)
  private var head: [UInt8] = []
  private var searched = 0
  private var drained = 0

  package init(_ socket: consuming Descriptor) {
    self.socket = socket
  }

  deinit { wipe() }

  package enum Outcome {
    case waiting
    /// The connection has ended and needs no further work.
    case over
    case refused(status: Int, RedirectStray?)
    /// The redirect, with its query.
    case redirect(SharedSecret)
  }

  /// Reads the available bytes without waiting.
  package func look(for request: RedirectRequest) -> Outcome {
    var chunk = [UInt8](repeating: 0, count: 8 * 1024)
    defer { for index in chunk.indices { chunk[index] = 0 } }
    while true {
      let got = unsafe recv(socket.number, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if got < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN ? .waiting : .over
      }
      if got == 0 { return .over }
      guard phase == .reading else {
        drained += got
        if drained > Self.maximumDrain { return .over }
        continue
      }
      // Allocate once: a growing array leaves copies of its content in memory.
      if head.isEmpty { head.reserveCapacity(RedirectRequest.maximumHead + chunk.count) }
      head += chunk.prefix(got)
      switch request.judge(head, searched: &searched) {
      case .incomplete: continue
      case .refused(let status, let stray): return .refused(status: status, stray)
      case .redirect(let query): return redirect(query)
      }
    }
  }

  /// Sends as much of an answer as the connection takes at once, then waits for its end.
  func refuse(status: Int) {
    refuse(with: HTTPAnswer.refusal(status: status))
  }

  /// The same with the caller's own answer.
  func refuse(with text: [UInt8]) {
    _ = unsafe text.withUnsafeBytes { bytes in
      unsafe send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    endAnswer()
  }

  /// Sends a whole answer and waits until the peer has it.
  ///
  /// It gives up after some seconds, or at an interrupt.
  package func answer(_ bytes: [UInt8], interrupt: Int32?) {
    let end = BootInstant.now.advanced(bySeconds: 5)
    var done = 0
    while done < bytes.count {
      let sent = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return unsafe send(
          socket.number,
          rest.baseAddress,
          rest.count,
          Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        )
      }
      if sent > 0 {
        done += sent
      } else if sent < 0, errno == EAGAIN || errno == EINTR {
        guard isReady(writing: true, until: end, interrupt) else { return }
      } else {
        return
      }
    }
    endAnswer()
    let nothing = RedirectRequest(path: "", authority: "")
    while case .waiting = look(for: nothing), isReady(until: deadline, interrupt) {}
  }

  private func endAnswer() {
    wipe()
    socket.shutDownSending()
    phase = .draining
    deadline = BootInstant.now.advanced(bySeconds: Self.drainLimit)
  }

  /// Waits for the socket; false at the deadline or at an interrupt.
  private func isReady(writing: Bool = false, until end: BootInstant, _ interrupt: Int32?) -> Bool {
    guard BootInstant.now < end else { return false }
    let readiness = try? Readiness.wait(
      for: socket.number,
      writing: writing,
      interrupt: interrupt,
      deadline: end
    )
    return readiness == .ready
  }

  private func redirect(_ query: Range<Int>) -> Outcome {
    defer { wipe() }
    let secret = try? unsafe head.withUnsafeBytes { bytes in
      SharedSecret(try unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[query])))
    }
    return secret.map(Outcome.redirect) ?? .refused(status: 503, nil)
  }

  /// Wipes the head, which holds the code.
  private func wipe() {
    for index in head.indices { head[index] = 0 }
    head.removeAll(keepingCapacity: true)
  }
}
