internal import CFprint

/// The fingerprint reader of this machine, through libfprint.
///
/// Each operation finds, opens and closes it anew: it is held only while someone is asked to
/// touch it. One operation runs at a time; a second is `busy`, never queued, because the touch
/// meant for the first would answer it.
public struct Reader: Sendable {
  private let drivers: AllowedDrivers

  /// A reader of one of these drivers.
  public init(_ drivers: AllowedDrivers) {
    self.drivers = drivers
  }

  /// Checks whether the next finger is one of these.
  ///
  /// Every print of the reader takes part; a reader that can only verify is given the first.
  ///
  /// It waits for a decision for so many milliseconds once the reader is armed. `report` is called
  /// on the reader's own thread, and must not wait.
  public func check(
    _ prints: [StoredPrint],
    milliseconds: Int,
    report: @escaping @Sendable (CheckEvent) -> Void = { _ in }
  ) -> ReaderOperation<Verdict> {
    let operation = ReaderOperation<Verdict>()
    return start(
      CheckSession(
        drivers,
        prints,
        milliseconds: milliseconds,
        operation: operation,
        report: report
      ),
      operation
    )
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
    return start(
      EnrollSession(
        drivers,
        finger,
        milliseconds: milliseconds,
        operation: operation,
        report: report
      ),
      operation
    )
  }

  /// What the first reader says about itself.
  ///
  /// With `opening` it is opened for a moment, which shows whether this user may.
  public func facts(opening: Bool, milliseconds: Int = 5000) -> ReaderOperation<ReaderFacts> {
    let operation = ReaderOperation<ReaderFacts>()
    return start(
      FactsSession(drivers, opening: opening, milliseconds: milliseconds, operation: operation),
      operation
    )
  }

  private func start<Outcome: Sendable>(
    _ session: ReaderSession,
    _ operation: ReaderOperation<Outcome>
  ) -> ReaderOperation<Outcome> {
    operation.onCancel { session.cancel() }
    do throws(ReaderError) {
      try ReaderThread.shared.perform { session.begin() }
    } catch {
      operation.finish(.failure(error))
    }
    return operation
  }
}
