internal import Glibc

/// The event that ended a wait.
package enum Readiness: Equatable {
  case ready
  case input
  case interrupted
  case timedOut

  /// Waits for one descriptor, for a second one such as a terminal, and for an interrupt (poll(2)).
  ///
  /// The interrupt counts first, then the message. After Ctrl-C, a person does not need a message
  /// that arrived at the same moment. `resumed` is called after a signal, such as SIGCONT.
  package static func wait(
    for number: Int32,
    writing: Bool = false,
    input: Int32? = nil,
    interrupt: Int32?,
    deadline: BootInstant? = nil,
    resumed: () -> Void = {}
  ) throws(SystemError) -> Readiness {
    while true {
      // poll(2): "If the value of fd is negative, then the corresponding events field is ignored".
      var entries = [
        pollfd(fd: number, events: Int16(writing ? POLLOUT : POLLIN), revents: 0),
        pollfd(fd: input ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds(until: deadline))
      if count < 0 {
        guard errno == EINTR else { throw SystemError("poll", code: errno) }
        resumed()
        continue
      }
      if entries[2].revents != 0 { return .interrupted }
      if entries[0].revents != 0 { return .ready }
      if entries[1].revents != 0 { return .input }
      if let deadline, BootInstant.now >= deadline { return .timedOut }
    }
  }

  /// The time left, rounded up so that a wait does not spin in its last millisecond.
  private static func milliseconds(until deadline: BootInstant?) -> Int32 {
    guard let deadline else { return -1 }
    let (left, overflow) = deadline.nanoseconds.subtractingReportingOverflow(
      BootInstant.now.nanoseconds
    )
    guard !overflow else { return deadline.nanoseconds < 0 ? 0 : Int32.max }
    return Int32(clamping: max(0, left / 1_000_000 + 1))
  }
}
