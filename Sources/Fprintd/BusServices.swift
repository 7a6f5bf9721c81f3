package import FingerprintReader
internal import LoginEvents
internal import SystemBus

/// fprintd and logind, on the bus at an address.
package struct BusServices: DesktopServices {
  private let address: String

  package init(_ address: String) {
    self.address = address
  }

  package func check(
    _ fingers: Set<Finger>,
    first: Finger?,
    milliseconds: Int,
    stop: Int32,
    report: @escaping (CheckEvent) -> Void,
    tell: (Result<Verdict, ReaderError>) -> Void
  ) {
    do throws(ReaderError) {
      var check = try FprintdCheck(
        address,
        fingers,
        first: first,
        milliseconds: milliseconds,
        stop: stop,
        report: report
      )
      try check.run { tell(.success($0)) }
    } catch {
      tell(.failure(error))
    }
  }

  package func fingers(starting: Bool) throws(ReaderError) -> Set<Finger> {
    let ifStartable: ReaderError = starting ? .noReader : .busy(nil)
    let session = try FprintdSession(address, starting: starting, ifStartable: ifStartable)
    // Choose the same reader as a check does.
    return try session.readerWithFingers()?.fingers ?? []
  }

  package func readerName() -> String? {
    do throws(ReaderError) {
      let session = try FprintdSession(address, starting: false, ifStartable: .busy(nil))
      return try session.name(of: session.readers()[0])
    } catch {
      return error == .busy(nil) ? "" : nil
    }
  }

  package func requireReader(unused: Bool, stop: Int32) throws(ReaderError) {
    // Short, because a check or an enrollment waits for the answer.
    let session = try FprintdSession(address, starting: false, milliseconds: 1000, stop: stop)
    for path in try session.readers() where unused {
      do throws(ReaderError) {
        // Claim it briefly, because nothing else shows whether a program uses it.
        let limit = BusLimit(milliseconds: 10_000, interrupt: stop)
        try session.call(path, "Claim", "", within: limit)
        try session.call(path, "Release", within: limit)
      } catch {
        // Another refusal says nothing about the reader.
        if case .busy = error { throw error }
      }
    }
  }

  package func delaySleep(_ asleep: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    guard let sleep = try? SleepGuard(address: address, asleep: asleep) else { return {} }
    return { sleep.end() }
  }
}
