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
  private let desktop: (any DesktopServices)?
  private let readers: ReaderList

  /// Makes a reader that uses these drivers, and these services of the system unless they are
  /// `nil`.
  package init(_ drivers: AllowedDrivers, desktop: (any DesktopServices)? = nil) {
    self.drivers = drivers
    self.desktop = desktop
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
    let prints = prints.filter { $0.finger == first } + prints.filter { $0.finger != first }
    return begin(milliseconds) { [readers, desktop] tries in
      let report = CheckReport(tries, report)
      let cancellation = tries.cancellation
      tries.waits = { report.hear(.waiting) }
      tries.attemptEnded = { report.clear() }
      if !prints.isEmpty {
        tries.direct = { milliseconds, done in
          CheckSession(
            readers,
            cancellation,
            prints,
            milliseconds: milliseconds,
            seen: seen,
            report: { report.hear($0) },
            done: done
          )
        }
      }
      guard let desktop, !fingers.isEmpty else { return }
      tries.desktop = { milliseconds, done in
        ThreadAttempt(cancellation, done: done) { stop, tell in
          desktop.check(
            fingers,
            first: first,
            milliseconds: milliseconds,
            stop: stop,
            report: { event in ReaderThread.shared.performAndWait { report.hear(event) } },
            tell: tell
          )
        }
      }
    }
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
    begin(milliseconds) { [readers] tries in
      let pace = NoticePace<EnrollEvent>(report)
      let cancellation = tries.cancellation
      tries.waits = { pace.put(.waiting) }
      tries.attemptEnded = { pace.clear() }
      tries.direct = { [weak tries] milliseconds, done in
        EnrollSession(
          readers,
          cancellation,
          finger,
          own: own,
          former: former,
          milliseconds: milliseconds,
          seen: seen,
          report: { event in
            switch event {
            case .waiting, .retry: return pace.put(event)
            case .ready: tries?.wasArmed = true
            case .stage, .removed: break
            }
            pace.clear()
            report(event)
          },
          done: done
        )
      }
    }
  }

  /// Deletes these prints, and no others, on the reader that stores them.
  package func delete(_ prints: [StoredPrint], milliseconds: Int) -> ReaderOperation<[Deletion]> {
    guard prints.contains(where: \.isOnReader) else {
      let operation = ReaderOperation<[Deletion]>()
      operation.finish(.success(prints.map { _ in .notStored }))
      return operation
    }
    return begin(milliseconds) { [readers] tries in
      let cancellation = tries.cancellation
      tries.direct = { milliseconds, done in
        DeleteSession(readers, cancellation, prints, milliseconds: milliseconds, done: done)
      }
    }
  }

  /// Whether there is a reader, as far as the system shows it.
  ///
  /// No reader is opened, and fprintd is not started. It blocks while fprintd is asked.
  package func look() -> ReaderLook {
    let plugged = PluggedReaders.look(drivers)
    if let usable = plugged?.first(where: \.mayBeOpened) {
      return .plugged(name: usable.name, driver: usable.driver, isInUse: usable.isInUse)
    }
    if let name = desktop?.readerName() { return .throughFprintd(name: name) }
    guard let plugged else { return .notLooked }
    guard let first = plugged.first else {
      return PluggedReaders.mayHaveOthers(drivers) ? .notLooked : .none
    }
    return .noPermission(name: first.name, driver: first.driver)
  }

  /// The fingers that fprintd has of this user, only by their names; empty without fprintd.
  ///
  /// `starting` says whether to start fprintd if it is not running, which probes readers. Otherwise
  /// the error `busy` says that fprintd could be started. It blocks until fprintd answers.
  package func desktopFingers(starting: Bool = true) throws(ReaderError) -> Set<Finger> {
    try desktop?.fingers(starting: starting) ?? []
  }

  /// Waits until no operation holds the reader, at most for `milliseconds`.
  package func waitUntilReleased(milliseconds: Int32) {
    guard ReaderThread.shared.isInUse else { return }
    let operation = ReaderOperation<Void>()
    // An operation holds the reader, so its thread runs already.
    try? ReaderThread.shared.perform {
      ReaderThread.shared.whenFree { operation.finish(.success(())) }
    }
    operation.wait(milliseconds: milliseconds)
  }

  /// Begins an operation on the reader's thread; `prepare` says how it uses a reader.
  private func begin<Outcome: Sendable>(
    _ milliseconds: Int,
    _ prepare: (ReaderTries<Outcome>) -> Void
  ) -> ReaderOperation<Outcome> {
    let operation = ReaderOperation<Outcome>()
    do throws(ReaderError) {
      let tries = ReaderTries(
        readers,
        drivers,
        desktop,
        milliseconds: milliseconds,
        operation: operation,
        cancellation: try Cancellation()
      )
      prepare(tries)
      operation.onCancel { tries.cancel() }
      try ReaderThread.shared.perform { tries.begin() }
    } catch {
      operation.finish(.failure(error))
    }
    return operation
  }
}
