internal import CFprint
internal import Glibc

/// An operation, with as many tries as it needs to get the reader.
///
/// If another program holds the reader, the tries have growing pauses: quick tries would keep
/// fprintd from ever ending its claim. No try opens a reader that a program visibly uses. A reader
/// that could not be opened is `vanished`: only another process can try it again.
final class ReaderTries<Outcome: Sendable>: @unchecked Sendable {
  typealias Done = (Result<Outcome, ReaderError>) -> Void

  /// The pauses between two tries, in milliseconds.
  private static var pauses: [guint] { [250, 500, 1000, 2000, 4000] }

  private let readers: ReaderList
  private let drivers: AllowedDrivers
  private let services: (any DesktopServices)?
  private let milliseconds: Int
  private let operation: ReaderOperation<Outcome>
  let cancellation: Cancellation

  /// Makes a try through libfprint with a limit in milliseconds.
  var direct: ((Int, @escaping Done) -> any ReaderAttempt)?
  /// Makes a try through fprintd; `nil` if that is not possible.
  var desktop: ((Int, @escaping Done) -> any ReaderAttempt)?
  /// Called before each retry of a busy reader.
  var waits: () -> Void = {}
  /// Called at the end of each try.
  var attemptEnded: () -> Void = {}
  /// Whether the reader was armed: after that there are no more tries.
  var wasArmed = false

  private var letSleep: (@Sendable () -> Void)?
  private var attempt: (any ReaderAttempt)?
  private weak var last: (any ReaderAttempt)?
  private var pause = Timer()
  private var tries = 0
  private var isThroughFprintd = false
  private var deadline: Int64 = .max
  private var failure: ReaderError?
  private var isOver = false

  init(
    _ readers: ReaderList,
    _ drivers: AllowedDrivers,
    _ services: (any DesktopServices)?,
    milliseconds: Int,
    operation: ReaderOperation<Outcome>,
    cancellation: Cancellation
  ) {
    self.readers = readers
    self.drivers = drivers
    self.services = services
    self.milliseconds = milliseconds
    self.operation = operation
    self.cancellation = cancellation
  }

  /// Cancels, from any thread: from here on only a miss counts.
  func cancel() {
    cancellation.cancel()
    try? ReaderThread.shared.perform { [self] in stop(.cancelled) }
  }

  /// Starts the first try.
  func begin() {
    guard !cancellation.isCancelled else { return finish(.failure(.cancelled)) }
    deadline = boottime() + Int64(milliseconds)
    letSleep = services?.delaySleep { [weak self] in
      try? ReaderThread.shared.perform { [weak self] in self?.sleeps() }
    }
    isThroughFprintd = direct == nil
    begin(within: milliseconds)
  }

  private func sleeps() {
    // Release a reader that is still open although its result is known.
    isOver ? last?.hurry() : stop(.sleeping)
  }

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
    guard !isThroughFprintd else { return start(desktop, milliseconds) }
    guard let plugged = PluggedReaders.look(drivers), !plugged.isEmpty, drivers == .hardware else {
      return askFprintd(milliseconds)
    }
    if plugged.contains(where: \.isInUse) { return ended(.failure(.busy(nil))) }
    guard plugged.contains(where: \.mayBeOpened) else {
      let fault = LibraryFault(domain: "sysfs", code: EACCES, message: "no permission to open it")
      return ended(.failure(.noPermission(fault)))
    }
    start(direct, milliseconds)
  }

  /// Queries a running fprintd about a reader whose use sysfs does not show.
  private func askFprintd(_ milliseconds: Int) {
    guard let services, !readers.isMade else { return start(direct, milliseconds) }
    requireReader(of: services, unused: true) { [self] result in
      if let failure { return finish(.failure(failure)) }
      if case .failure(.busy(let fault)) = result { return ended(.failure(.busy(fault))) }
      start(direct, milliseconds)
    }
  }

  private func requireReader(
    of services: any DesktopServices,
    unused: Bool,
    then next: @escaping (Result<Void, ReaderError>) -> Void
  ) {
    let query = ThreadAttempt<Void>(cancellation) { [self] result in
      attempt = nil
      next(result)
    } work: { stop, tell in
      tell(
        Result { () throws(ReaderError) in
          try services.requireReader(unused: unused, stop: stop)
        }
      )
    }
    attempt = query
    query.begin()
  }

  private func start(_ make: ((Int, @escaping Done) -> any ReaderAttempt)?, _ milliseconds: Int) {
    guard let make else { return finish(.failure(.notEnrolled)) }
    let attempt = make(milliseconds) { [self] in ended($0) }
    self.attempt = attempt
    last = attempt
    attempt.begin()
  }

  private func ended(_ result: Result<Outcome, ReaderError>) {
    attempt = nil
    attemptEnded()
    guard failure == nil, !wasArmed, case .failure(let error) = result else {
      return finish(result)
    }
    switch error {
    case .noReader, .noPermission, .notEnrolled, .removed, .busy:
      if !isThroughFprintd && desktop != nil {
        isThroughFprintd = true
        return begin(within: timeLeft)
      }
    default: break
    }
    switch error {
    // libfprint leaves a reader half open after a failed open, so this process cannot try again.
    case .busy where !isThroughFprintd && readers.isMade: finish(.failure(.vanished))
    case .busy: tryAgain(after: error)
    case .noReader where !isThroughFprintd: findWhetherVanished(error)
    default: finish(result)
    }
  }

  /// Checks whether a reader is missing from the list because another program used it at that time.
  private func findWhetherVanished(_ error: ReaderError) {
    if drivers == .hardware, PluggedReaders.look(drivers)?.isEmpty == false {
      return finish(.failure(.vanished))
    }
    guard let services else { return finish(.failure(error)) }
    requireReader(of: services, unused: false) { [self] result in
      guard failure == nil, case .success = result else { return finish(.failure(error)) }
      finish(.failure(.vanished))
    }
  }

  private func tryAgain(after error: ReaderError) {
    guard tries < Self.pauses.count, Int(Self.pauses[tries]) < timeLeft else {
      return finish(.failure(error))
    }
    let time = Self.pauses[tries]
    tries += 1
    waits()
    pause.start(time) { [self] in
      pause.stop()
      begin(within: timeLeft)
    }
  }

  private var timeLeft: Int { max(1, Int(deadline - boottime())) }

  private func finish(_ result: Result<Outcome, ReaderError>) {
    guard !isOver else { return }
    isOver = true
    pause.stop()
    // A reader that is still closing must not go into suspend.
    if let letSleep { ReaderThread.shared.whenFree(letSleep) }
    letSleep = nil
    switch result {
    // It was judged when the reader reported it, and a miss always costs its try.
    case .success: operation.finish(result)
    case .failure(let error):
      operation.finish(.failure(cancellation.isCancelled ? .cancelled : failure ?? error))
    }
  }
}
