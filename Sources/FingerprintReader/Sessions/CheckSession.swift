internal import CFprint
internal import PresenceTerms

/// Verifies or identifies a finger.
///
/// The verdict is taken when the driver reports it. The rest (lifting the finger, stopping the
/// sensor, closing the reader) can take seconds and can fail.
@safe
final class CheckSession: ReaderSession, @unchecked Sendable {
  /// How long the operation may continue by itself after a match, in milliseconds; then it is
  /// cancelled.
  private static let timeAfterMatch: guint = 500
  /// The same after a miss: the finger must be lifted before another try could see it again.
  private static let timeAfterMiss: guint = 10_000
  /// How long a miss waits for the list of the reader's own prints, in milliseconds.
  private static let listTime: guint = 2000

  private let stored: [StoredPrint]
  private let seen: (ReaderFacts) -> Void
  private let report: (CheckEvent) -> Void
  private let done: (Result<Verdict, ReaderError>) -> Void

  /// The prints that belong to this reader.
  private var gallery: LibraryPrints?
  private var identifies = false
  private var isArming = false
  private var cameEarly = false
  private var verdict: Verdict?
  private var isTold = false
  private var listTimer = Timer()
  private var pace = ArmingPace(burst: 5)

  init(
    _ readers: ReaderList,
    _ cancellation: Cancellation,
    _ stored: [StoredPrint],
    milliseconds: Int,
    seen: @escaping (ReaderFacts) -> Void,
    report: @escaping (CheckEvent) -> Void,
    done: @escaping (Result<Verdict, ReaderError>) -> Void
  ) {
    self.stored = stored
    self.seen = seen
    self.report = report
    self.done = done
    super.init(readers, cancellation, milliseconds: milliseconds)
  }

  override var refusal: ReaderError { .notEnrolled }

  override func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool {
    let gallery = unsafe LibraryPrints(stored, of: device)
    guard !gallery.isEmpty else { return false }
    self.gallery = gallery
    return true
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) {
    identifies = hasFeature(FP_DEVICE_FEATURE_IDENTIFY)
    seen(unsafe ReaderFacts(device))
    unsafe arm(device)
    report(.ready(only: identifies || usable.count == 1 ? nil : usable[0].finger))
  }

  override func waits(isTouched: Bool) {
    // During arming the reader reports what it saw earlier.
    if !isArming { report(isTouched ? .retry(.removeFinger) : .waiting) }
  }

  override func ended(_ failure: ReaderError?) {
    listTimer.stop()
    pace.stop()
    tell(verdict.map { .success($0) } ?? .failure(failure ?? .cancelled))
  }

  private var usable: [StoredPrint] { gallery?.stored ?? [] }

  private func tell(_ result: Result<Verdict, ReaderError>) {
    guard !isTold else { return }
    isTold = true
    done(result)
  }

  /// Makes the reader scan for a finger.
  ///
  /// A result during this call comes from a scan before the reader was armed. It does not answer
  /// this prompt and is dropped.
  private func arm(_ device: UnsafeMutablePointer<FpDevice>) {
    isArming = true
    cameEarly = false
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    // "Should an error happen afterwards, then you will get a match report through this callback
    // and an error when the operation finishes." (FpMatchCb): a cancel is such an error.
    let seen: FpMatchCb = { _, match, _, data, error in
      guard unsafe error == nil, let data = unsafe data else { return }
      let session = unsafe Unmanaged<CheckSession>.fromOpaque(data).takeUnretainedValue()
      unsafe session.didSee(match)
    }
    let finished: GAsyncReadyCallback = { _, result, data in
      guard let session = unsafe session(taking: data) as? CheckSession else { return }
      unsafe session.didScan(result)
    }
    if identifies {
      unsafe fp_device_identify(
        device,
        gallery?.array,
        cancellable,
        seen,
        data,
        nil,
        finished,
        retainedSelf()
      )
    } else {
      unsafe fp_device_verify(
        device,
        gallery?[0],
        cancellable,
        seen,
        data,
        nil,
        finished,
        retainedSelf()
      )
    }
    isArming = false
  }

  /// Handles a good scan and the print that matched it.
  private func didSee(_ match: OpaquePointer?) {
    if isArming { cameEarly = true }
    guard !cameEarly, verdict == nil else { return }
    guard let match = unsafe match else { return miss() }
    // A match after the cancel or the deadline is dropped. A miss counts even then, so that a
    // cancel between scan and verdict saves no try.
    guard objection == nil, let index = unsafe gallery?.index(of: match) else { return }
    let finger = usable[index].finger
    verdict = .matched(finger)
    tell(.success(.matched(finger)))
    endSoon(Self.timeAfterMatch)
  }

  private func miss() {
    verdict = .noMatch
    endSoon(Self.timeAfterMiss)
    guard canLoseItsPrints else { return tell(.success(.noMatch)) }
    listTimer.start(Self.listTime) { [self] in tell(.success(.noMatch)) }
  }

  private func didScan(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    let matched = unsafe matched(result, &error)
    let cause = unsafe error.map { unsafe FinishedScan(consuming: $0, in: self) }
    guard verdict == nil else { return verdictIsOver() }
    if let objection { return close(objection) }
    switch cause {
    case .retry(let hint): again(hint)
    case .failed(.notEnrolled) where usable.contains(where: \.isOnReader): close(.lostPrints)
    case .failed(let error): close(error)
    case nil where cameEarly: again(.removeFinger)
    case nil:
      // Some drivers decide without a report.
      if let matched {
        verdict = .matched(usable[matched].finger)
      } else {
        verdict = .noMatch
      }
      verdictIsOver()
    }
  }

  private func again(_ hint: ScanHint) {
    report(.retry(hint))
    let delay = pace.delay()
    guard delay > 0 else { return armAgain() }
    pace.wait(delay) { [self] in
      pace.stop()
      armAgain()
    }
  }

  private func armAgain() {
    if let objection { return close(objection) }
    guard let device = unsafe device else { return }
    unsafe arm(device)
  }

  override func stop(_ reason: ReaderError) {
    super.stop(reason)
    // No operation is armed whose end could close the reader.
    if pace.isWaiting, objection != nil {
      pace.stop()
      close(objection)
    }
  }

  /// Ends the session after the operation whose verdict is known.
  private func verdictIsOver() {
    guard verdict == .noMatch, !isTold, canLoseItsPrints, let device = unsafe device else {
      return close()
    }
    endSoon(Self.timeAfterMiss)
    unsafe fp_device_list_prints(
      device,
      nil,
      { _, result, data in
        guard let session = unsafe session(taking: data) as? CheckSession else { return }
        unsafe session.didList(result)
      },
      retainedSelf()
    )
  }

  /// Whether another program could have removed all participating prints from the reader, so that
  /// each touch would be a miss.
  private var canLoseItsPrints: Bool {
    usable.allSatisfy(\.isOnReader)
      && hasFeature(FP_DEVICE_FEATURE_STORAGE_LIST)
  }

  private func didList(_ result: OpaquePointer?) {
    let found = unsafe fp_device_list_prints_finish(device, result, nil)
    defer { if let found = unsafe found { unsafe g_ptr_array_unref(found) } }
    // Only if none is left: with one of them the touch could have matched, so it was a try.
    let asked = identifies ? usable.indices : 0..<1
    if let found = unsafe found, !isTold, let gallery, unsafe !gallery.isAny(of: asked, in: found) {
      verdict = nil
      return close(.lostPrints)
    }
    close()
  }

  /// The index of the print that matched.
  private func matched(
    _ result: OpaquePointer?,
    _ error: inout UnsafeMutablePointer<GError>?
  ) -> Int? {
    guard identifies else {
      // The verdict is this parameter; the return value says that there was a decision.
      var match: gboolean = 0
      let isDecided = unsafe fp_device_verify_finish(device, result, &match, nil, &error)
      return isDecided != 0 && match != 0 ? 0 : nil
    }
    var match: OpaquePointer?
    let isDecided = unsafe fp_device_identify_finish(device, result, &match, nil, &error)
    guard let match = unsafe match else { return nil }
    defer { unsafe release(match) }
    return isDecided == 0 ? nil : unsafe gallery?.index(of: match)
  }
}

/// Why a scan gave no verdict.
enum FinishedScan {
  case retry(ScanHint)
  case failed(ReaderError)

  /// Translates the error of an operation, and frees it.
  init(consuming error: UnsafeMutablePointer<GError>, in session: ReaderSession) {
    if unsafe error.pointee.domain == fp_device_retry_quark() {
      self = .retry(unsafe ScanHint(code: error.pointee.code))
      unsafe g_error_free(error)
    } else {
      self = .failed(unsafe session.cause(consuming: error))
    }
  }
}
