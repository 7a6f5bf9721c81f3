internal import CFprint
internal import Synchronization

/// A check, in as many tries as it takes to get hold of the reader.
///
/// A reader that another program has is tried again with growing pauses, and a new list of
/// readers each time; quick tries would keep fprintd from ever ending its claim.
final class CheckTries: @unchecked Sendable {
  /// The pauses between two tries, in milliseconds.
  private static let pauses: [guint] = [250, 500, 1000, 2000, 4000]
  /// How many of them a reader gets of which nobody knows that it exists.
  private static let pausesForNone = 2

  private let drivers: AllowedDrivers
  private let address: String?
  private let prints: [StoredPrint]
  private let fingers: Set<Finger>
  private let milliseconds: Int
  private let operation: ReaderOperation<Verdict>
  private let report: @Sendable (CheckEvent) -> Void
  private let isCancelled = Atomic(false)

  private var sleep: SleepGuard?
  private var attempt: (any ReaderAttempt)?
  private var pause = Timer()
  private var tries = 0
  private var isThroughFprintd = false
  /// The reader was armed: from here on nothing is tried again.
  private var wasArmed = false
  /// Whether fprintd has a reader that is missing here; nil until it was asked.
  private var isHeld: Bool?
  private var deadline: Int64 = .max
  private var failure: ReaderError?
  private var isOver = false

  init(
    _ drivers: AllowedDrivers,
    bus address: String?,
    prints: [StoredPrint],
    fingers: Set<Finger>,
    milliseconds: Int,
    operation: ReaderOperation<Verdict>,
    report: @escaping @Sendable (CheckEvent) -> Void
  ) {
    self.drivers = drivers
    self.address = address
    self.prints = prints
    self.fingers = fingers
    self.milliseconds = milliseconds
    self.operation = operation
    self.report = report
  }

  /// Gives it up, from any thread: from here on no result counts but a miss.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    try? ReaderThread.shared.perform { [self] in stop(.cancelled) }
  }

  /// Begins the first try.
  func begin() {
    guard !isCancelled.load(ordering: .acquiring) else { return finish(.failure(.cancelled)) }
    deadline = boottime() + Int64(milliseconds)
    if let address {
      let sleep = SleepGuard(address) { [weak self] in self?.stop(.sleeping) }
      self.sleep = sleep
      sleep.begin()
    }
    isThroughFprintd = prints.isEmpty && canUseFprintd
    begin(within: milliseconds)
  }

  private var canUseFprintd: Bool { address != nil && !fingers.isEmpty }

  private func stop(_ reason: ReaderError) {
    guard !isOver, failure == nil else { return }
    failure = reason
    pause.stop()
    if let attempt {
      attempt.stop(reason)
    } else {
      finish(.failure(reason))
    }
  }

  private func begin(within milliseconds: Int) {
    let heard: @Sendable (CheckEvent) -> Void = { [self] event in
      if case .ready = event { wasArmed = true }
      report(event)
    }
    let done: (Result<Verdict, ReaderError>) -> Void = { [self] in ended($0) }
    let attempt: any ReaderAttempt =
      if isThroughFprintd, let address {
        FprintdCheck(
          address,
          expected: fingers,
          milliseconds: milliseconds,
          report: heard,
          done: done
        )
      } else {
        CheckSession(drivers, prints, milliseconds: milliseconds, report: heard, done: done)
      }
    self.attempt = attempt
    attempt.begin()
  }

  private func ended(_ result: Result<Verdict, ReaderError>) {
    attempt = nil
    guard failure == nil, !wasArmed, case .failure(let error) = result else {
      return finish(result)
    }
    switch error {
    case .noReader, .noPermission, .notEnrolled, .removed, .busy(.some):
      if !isThroughFprintd && canUseFprintd {
        isThroughFprintd = true
        return begin(within: timeLeft)
      }
    default: break
    }
    switch error {
    case .busy(.some): tryAgain(after: error, of: Self.pauses.count)
    case .noReader, .removed: tryAgainWithoutReader(after: error)
    default: finish(result)
    }
  }

  /// Some readers vanish from the list while fprintd has them open.
  private func tryAgainWithoutReader(after error: ReaderError) {
    let most = isHeld == true ? Self.pauses.count : Self.pausesForNone
    let reason = isHeld == true ? ReaderError.busy(nil) : error
    guard isHeld == nil, !isThroughFprintd, let address else {
      return tryAgain(after: reason, of: most)
    }
    let query = FprintdQuery(address, .reader) { [self] result in
      attempt = nil
      if case .success = result { isHeld = true } else { isHeld = false }
      guard failure == nil else { return finish(.failure(error)) }
      tryAgainWithoutReader(after: error)
    }
    attempt = query
    query.begin()
  }

  private func tryAgain(after error: ReaderError, of most: Int) {
    guard tries < most, Int(Self.pauses[tries]) < timeLeft else { return finish(.failure(error)) }
    let time = Self.pauses[tries]
    tries += 1
    report(.waiting)
    pause.start(time) { [self] in
      pause.stop()
      begin(within: timeLeft)
    }
  }

  private var timeLeft: Int { max(1, Int(deadline - boottime())) }

  private func finish(_ result: Result<Verdict, ReaderError>) {
    guard !isOver else { return }
    isOver = true
    pause.stop()
    // The reader is closed: now the computer may sleep.
    sleep?.end()
    sleep = nil
    if case .success(.noMatch) = result {
      // Whoever hangs up when the finger has been seen must not get that try back.
      operation.finish(result)
    } else if isCancelled.load(ordering: .acquiring) {
      operation.finish(.failure(.cancelled))
    } else {
      operation.finish(failure.map { .failure($0) } ?? result)
    }
  }
}
