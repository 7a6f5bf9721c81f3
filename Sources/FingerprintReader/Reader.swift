internal import CFprint

/// The fingerprint reader of this machine, through libfprint.
///
/// Each operation finds, opens and closes it anew: it is held only while someone is asked to
/// touch it. One operation runs at a time; a second is `busy`, never queued, because the touch
/// meant for the first would answer it.
public struct Reader: Sendable {
  private let drivers: AllowedDrivers
  private let bus: String?

  /// A reader of one of these drivers.
  ///
  /// `bus` is the address of the system bus, on which fprintd has what this user may not open, and
  /// logind tells when the computer sleeps; nil goes without both.
  public init(_ drivers: AllowedDrivers, bus: String? = nil) {
    self.drivers = drivers
    self.bus = bus
  }

  /// Checks whether the next finger is one of these.
  ///
  /// Every print of the reader takes part; a reader that can only verify is given the first.
  /// Where the reader cannot be opened, or there is no print for it, fprintd verifies, if the user
  /// has enrolled exactly `fingers` there.
  ///
  /// It waits for a decision for so many milliseconds once the reader is armed, or from the
  /// beginning where the reader was busy at first. `report` is called on the reader's own thread,
  /// and must not wait.
  public func check(
    _ prints: [StoredPrint],
    fingers: Set<Finger> = [],
    milliseconds: Int,
    report: @escaping @Sendable (CheckEvent) -> Void = { _ in }
  ) -> ReaderOperation<Verdict> {
    let operation = ReaderOperation<Verdict>()
    let tries = CheckTries(
      drivers,
      bus: bus,
      prints: prints,
      fingers: fingers,
      milliseconds: milliseconds,
      operation: operation,
      report: report
    )
    operation.onCancel { tries.cancel() }
    return perform(operation) { tries.begin() }
  }

  /// Takes a new print, in several touches.
  ///
  /// It waits for so many milliseconds for each touch. `report` is called on the reader's own
  /// thread, and must not wait.
  public func enroll(
    _ finger: Finger,
    milliseconds: Int,
    report: @escaping @Sendable (EnrollEvent) -> Void = { _ in }
  ) -> ReaderOperation<StoredPrint> {
    let operation = ReaderOperation<StoredPrint>()
    let session = EnrollSession(
      drivers,
      finger,
      milliseconds: milliseconds,
      operation: operation,
      report: report
    )
    session.sleep = bus.map { bus in
      SleepGuard(bus) { [weak session] in session?.stop(.sleeping) }
    }
    operation.onCancel { session.cancel() }
    return perform(operation) { session.begin() }
  }

  /// What the first reader says about itself, or what fprintd says about it where it cannot be
  /// used directly.
  ///
  /// With `opening` it is opened for a moment, which shows whether this user may.
  public func facts(opening: Bool, milliseconds: Int = 5000) -> ReaderOperation<ReaderFacts> {
    let operation = ReaderOperation<ReaderFacts>()
    let session = FactsSession(drivers, opening: opening, milliseconds: milliseconds) {
      [bus] result in
      guard let bus, case .failure(let error) = result else { return operation.finish(result) }
      let query = FprintdQuery(bus, .facts) { answer in
        let facts = try? answer.get().facts
        operation.finish(facts.map { .success($0) } ?? .failure(error))
      }
      query.begin()
    }
    operation.onCancel { session.cancel() }
    return perform(operation) { session.begin() }
  }

  /// The fingers that fprintd has of this user, by their names alone; none where there is no
  /// fprintd.
  public func desktopFingers() -> ReaderOperation<Set<Finger>> {
    let operation = ReaderOperation<Set<Finger>>()
    guard let bus else {
      operation.finish(.success([]))
      return operation
    }
    let query = FprintdQuery(bus, .fingers) { operation.finish($0.map(\.fingers)) }
    return perform(operation) { query.begin() }
  }

  /// Begins an operation on the reader's thread.
  private func perform<Outcome: Sendable>(
    _ operation: ReaderOperation<Outcome>,
    _ begin: @escaping @Sendable () -> Void
  ) -> ReaderOperation<Outcome> {
    do throws(ReaderError) {
      try ReaderThread.shared.perform(begin)
    } catch {
      operation.finish(.failure(error))
    }
    return operation
  }
}
