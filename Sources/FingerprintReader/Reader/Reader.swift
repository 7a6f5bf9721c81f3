internal import CFprint

/// The fingerprint reader of this machine, through libfprint.
///
/// Each operation opens and closes it: it is held only while a person is asked to touch it. One
/// operation runs at a time; a second is `busy`, never queued, because the touch meant for the first
/// would answer it.
///
/// The list of readers is made by the first operation that needs it, and stays: making it probes them.
public struct Reader: Sendable {
  private let drivers: AllowedDrivers
  private let bus: String?
  private let readers: ReaderList

  /// A reader of one of these drivers.
  ///
  /// `bus` is the address of the system bus, on which fprintd has what this user may not open, and
  /// logind tells when the computer sleeps; nil goes without both.
  public init(_ drivers: AllowedDrivers, bus: String? = nil) {
    self.drivers = drivers
    self.bus = bus
    readers = ReaderList(drivers)
  }

  /// Checks whether the next finger is one of these.
  ///
  /// Every print of the reader takes part; a reader that takes one print at a time is given that of
  /// the finger `first`, if there is one.
  /// Where the reader cannot be opened, or there is no print for it, fprintd verifies, if the user
  /// has enrolled exactly `fingers` there.
  ///
  /// It waits for a decision for so many milliseconds once the reader is armed, or from the
  /// beginning where the reader was busy at first. The result is there when the reader has reported
  /// it; `waitUntilReleased` waits for the rest. `seen` and `report` are called on the reader's own
  /// thread, and must not wait.
  public func check(
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
      // After a bad scan the reader is armed again, which says nothing new.
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

  /// Takes a new print, in several touches.
  ///
  /// A reader that stores prints itself is cleaned of those in `former` first; of `own`, those that
  /// are enrolled, it is only found out whether the finger is one of them.
  ///
  /// It waits for so many milliseconds for each touch. `seen` and `report` are called on the
  /// reader's own thread, and must not wait.
  public func enroll(
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

  /// Deletes prints on the reader that stores them: these and no others.
  public func delete(
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

  /// Whether there is a reader, by what the system knows: no reader is opened, and fprintd is not
  /// started.
  public func look() -> ReaderOperation<ReaderLook> {
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

  /// The fingers that fprintd has of this user, by their names alone; none if there is no fprintd.
  ///
  /// `starting` tells whether fprintd is started if it does not run, which probes readers. Otherwise
  /// `busy` says that fprintd could be started.
  public func desktopFingers(starting: Bool = true) -> ReaderOperation<Set<Finger>> {
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

  /// Waits until no operation has the reader, at most for so many milliseconds.
  public func waitUntilReleased(milliseconds: Int32) {
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
