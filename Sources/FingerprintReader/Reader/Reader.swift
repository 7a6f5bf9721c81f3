internal import CFprint

/// The fingerprint reader of this machine, through libfprint.
///
/// Each operation opens and closes the reader, so it is held only while a prompt asks for a touch.
/// One operation runs at a time. A second one is `busy`, never queued, because the touch meant for
/// the first would answer it.
///
/// The first operation that needs the list of readers makes it, and the list stays: making it
/// probes the readers.
package struct Reader: Sendable {
  private let drivers: AllowedDrivers
  private let bus: String?
  private let readers: ReaderList

  /// Makes a reader that uses these drivers.
  ///
  /// `bus` is the address of the system bus. There fprintd has the readers that this user may not
  /// open, and logind announces sleep. With `nil` neither is used.
  package init(_ drivers: AllowedDrivers, bus: String? = nil) {
    self.drivers = drivers
    self.bus = bus
    readers = ReaderList(drivers)
  }

  /// Checks whether the next finger is one of these.
  ///
  /// Every print of the reader takes part. A reader that takes one print at a time gets that of the
  /// finger `first`, if there is one. If the reader cannot be opened or has no print, fprintd
  /// verifies, provided that the user has enrolled exactly `fingers` there.
  ///
  /// The check waits `milliseconds` for a decision, counted from the arming of the reader, or from
  /// the beginning if the reader was busy at first. The result is available when the reader has
  /// reported it; `waitUntilReleased` waits for the rest. `seen` and `report` are called on the
  /// reader's own thread and must not block.
  package func check(
    _ prints: [StoredPrint],
    fingers: Set<Finger> = [],
    first: Finger? = nil,
    milliseconds: Int,
    report: @escaping @Sendable (CheckEvent) -> Void = { _ in },
    seen: @escaping @Sendable (ReaderFacts) -> Void = { _ in }
  ) -> ReaderOperation<Verdict> {
    let operation = ReaderOperation<Verdict>()
    let cancellation = Cancellation()
    let pace = NoticePace<CheckEvent>(report)
    let tries = ReaderTries(
      readers,
      drivers,
      bus: bus,
      milliseconds: milliseconds,
      operation: operation,
      cancellation: cancellation
    ) { pace.put(.waiting) }
    var lastReady: CheckEvent?
    let heard: (CheckEvent) -> Void = { [weak tries] event in
      guard case .ready = event else { return pace.put(event) }
      tries?.wasArmed = true
      // The reader is armed again after a bad scan, which is nothing new for the caller.
      if event != lastReady { report(event) }
      lastReady = event
    }
    let readers = readers
    let prints = prints.filter { $0.finger == first } + prints.filter { $0.finger != first }
    if !prints.isEmpty {
      tries.direct = { milliseconds, done in
        CheckSession(
          readers,
          cancellation,
          prints,
          milliseconds: milliseconds,
          seen: seen,
          report: heard
        ) {
          pace.clear()
          done($0)
        }
      }
    }
    if let bus, !fingers.isEmpty {
      tries.desktop = { milliseconds, done in
        FprintdCheck(
          bus,
          cancellation,
          expected: fingers,
          first: first,
          milliseconds: milliseconds,
          report: heard
        ) {
          pace.clear()
          done($0)
        }
      }
    }
    operation.onCancel { tries.cancel() }
    return perform(operation) { tries.begin() }
  }

  /// Enrolls a new print in several touches.
  ///
  /// On a reader that stores prints, those in `former` are deleted first. The enrolled prints in
  /// `own` serve only to find out whether the finger is one of them.
  ///
  /// Each touch may take `milliseconds`. `seen` and `report` are called on the reader's own thread
  /// and must not block.
  package func enroll(
    _ finger: Finger,
    own: [StoredPrint] = [],
    former: [StoredPrint] = [],
    milliseconds: Int,
    report: @escaping @Sendable (EnrollEvent) -> Void = { _ in },
    seen: @escaping @Sendable (ReaderFacts) -> Void = { _ in }
  ) -> ReaderOperation<StoredPrint> {
    let operation = ReaderOperation<StoredPrint>()
    let cancellation = Cancellation()
    let pace = NoticePace<EnrollEvent>(report)
    let tries = ReaderTries(
      readers,
      drivers,
      bus: bus,
      milliseconds: milliseconds,
      operation: operation,
      cancellation: cancellation
    ) { pace.put(.waiting) }
    let heard: (EnrollEvent) -> Void = { [weak tries] event in
      switch event {
      case .waiting, .retry: return pace.put(event)
      case .ready: tries?.wasArmed = true
      case .stage, .removed: break
      }
      pace.clear()
      report(event)
    }
    let readers = readers
    tries.direct = { milliseconds, done in
      EnrollSession(
        readers,
        cancellation,
        finger,
        own: own,
        former: former,
        milliseconds: milliseconds,
        seen: seen,
        report: heard
      ) {
        pace.clear()
        done($0)
      }
    }
    operation.onCancel { tries.cancel() }
    return perform(operation) { tries.begin() }
  }

  /// Deletes these prints, and no others, on the reader that stores them.
  package func delete(
    _ prints: [StoredPrint],
    milliseconds: Int
  ) -> ReaderOperation<[Deletion]> {
    let operation = ReaderOperation<[Deletion]>()
    guard prints.contains(where: \.isOnReader) else {
      operation.finish(.success(prints.map { _ in .notStored }))
      return operation
    }
    let cancellation = Cancellation()
    let tries = ReaderTries(
      readers,
      drivers,
      bus: bus,
      milliseconds: milliseconds,
      operation: operation,
      cancellation: cancellation
    ) {}
    let readers = readers
    tries.direct = { milliseconds, done in
      DeleteSession(readers, cancellation, prints, milliseconds: milliseconds, done: done)
    }
    operation.onCancel { tries.cancel() }
    return perform(operation) { tries.begin() }
  }

  /// Whether there is a reader, as far as the system shows it.
  ///
  /// No reader is opened, and fprintd is not started.
  package func look() -> ReaderOperation<ReaderLook> {
    let operation = ReaderOperation<ReaderLook>()
    let plugged = PluggedReaders.look(drivers)
    if let usable = plugged?.first(where: \.mayBeOpened) {
      let (name, driver) = (usable.name, usable.driver)
      operation.finish(.success(.plugged(name: name, driver: driver, isInUse: usable.isInUse)))
      return operation
    }
    let without: ReaderLook =
      switch plugged {
      case nil: .notLooked
      case let found? where found.isEmpty:
        PluggedReaders.mayHaveOthers(drivers) ? .notLooked : .none
      case let found?: .noPermission(name: found[0].name, driver: found[0].driver)
      }
    guard let bus else {
      operation.finish(.success(without))
      return operation
    }
    let query = FprintdQuery(bus, .facts) { answer in
      let facts = try? answer.get().name
      operation.finish(.success(facts.map { .throughFprintd(name: $0) } ?? without))
    }
    return perform(operation) { query.begin() }
  }

  /// The fingers that fprintd has of this user, only by their names; empty without fprintd.
  ///
  /// `starting` says whether to start fprintd if it is not running, which probes readers. Otherwise
  /// the error `busy` says that fprintd could be started.
  package func desktopFingers(starting: Bool = true) -> ReaderOperation<Set<Finger>> {
    let operation = ReaderOperation<Set<Finger>>()
    guard let bus else {
      operation.finish(.success([]))
      return operation
    }
    let query = FprintdQuery(bus, starting ? .fingers : .knownFingers) {
      operation.finish($0.map(\.fingers))
    }
    return perform(operation) { query.begin() }
  }

  /// Waits until no operation holds the reader, at most for `milliseconds`.
  package func waitUntilReleased(milliseconds: Int32) {
    guard ReaderThread.shared.isInUse else { return }
    let operation = ReaderOperation<Void>()
    let waiting = perform(operation) {
      ReaderThread.shared.whenFree { operation.finish(.success(())) }
    }
    waiting.wait(milliseconds: milliseconds)
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
