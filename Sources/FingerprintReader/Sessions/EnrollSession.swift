internal import CFprint
internal import Glibc
internal import PresenceTerms
internal import SecretMemory

/// Enrolls a new print.
///
/// On a reader that stores prints, those that were enrolled and deleted here are deleted first, and
/// no others. Otherwise the reader would refuse the finger, or identify it as the old print.
@safe
final class EnrollSession: ReaderSession, @unchecked Sendable {
  private let finger: Finger
  private let own: [StoredPrint]
  private let former: [StoredPrint]
  private let seen: (ReaderFacts) -> Void
  private let report: (EnrollEvent) -> Void
  private let done: (Result<StoredPrint, ReaderError>) -> Void

  private var gallery: LibraryPrints?
  /// The gallery indexes of former prints that may still be on the reader.
  private var stale: [Int] = []
  private var template: OpaquePointer?
  private var stages = 0
  private var stagesDone = 0
  private var result: Result<StoredPrint, ReaderError>?
  private var isTold = false
  private var wasDuplicate = false
  private var wasFull = false

  init(
    _ readers: ReaderList,
    _ cancellation: Cancellation,
    _ finger: Finger,
    own: [StoredPrint],
    former: [StoredPrint],
    milliseconds: Int,
    seen: @escaping (ReaderFacts) -> Void,
    report: @escaping (EnrollEvent) -> Void,
    done: @escaping (Result<StoredPrint, ReaderError>) -> Void
  ) {
    self.finger = finger
    self.own = own
    self.former = former
    self.seen = seen
    self.report = report
    self.done = done
    super.init(readers, cancellation, milliseconds: milliseconds)
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) {
    seen(unsafe ReaderFacts(device))
    stages = Int(unsafe fp_device_get_nr_enroll_stages(device))
    let gallery = unsafe LibraryPrints(former + own, of: device)
    self.gallery = gallery
    stale = gallery.stored.indices.filter {
      gallery.candidateIndices[$0] < former.count && gallery.stored[$0].isOnReader
    }
    deleteStale { [self] in enroll() }
  }

  override func waits(isTouched: Bool) { report(isTouched ? .retry(.removeFinger) : .waiting) }

  override func ended(_ failure: ReaderError?) {
    unsafe release(template)
    unsafe template = nil
    tell(result ?? .failure(failure ?? .cancelled))
  }

  private func tell(_ result: Result<StoredPrint, ReaderError>) {
    guard !isTold else { return }
    isTold = true
    done(result)
  }

  // MARK: enrolling

  private func enroll() {
    if let objection { return close(objection) }
    guard let device = unsafe device else { return }
    let print = unsafe fp_print_new(device)
    unsafe g_object_ref_sink(UnsafeMutableRawPointer(print))
    unsafe release(template)
    unsafe template = print
    unsafe fp_print_set_finger(print, FpFinger(UInt32(finger.rawValue)))
    if let date = unsafe g_date_new() {
      unsafe g_date_set_time_t(date, time(nil))
      unsafe fp_print_set_enroll_date(print, date)
      unsafe g_date_free(date)
    }
    let progress: FpEnrollProgress = { _, done, _, data, error in
      guard let data = unsafe data else { return }
      let session = unsafe Unmanaged<EnrollSession>.fromOpaque(data).takeUnretainedValue()
      unsafe session.didScan(Int(done), error)
    }
    let finished: GAsyncReadyCallback = { _, result, data in
      guard let session = unsafe session(taking: data) as? EnrollSession else { return }
      unsafe session.didEnroll(result)
    }
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    stagesDone = 0
    report(.ready(stages: stages))
    restartLimit()
    unsafe fp_device_enroll(
      device,
      print,
      cancellable,
      progress,
      data,
      nil,
      finished,
      retainedSelf()
    )
  }

  /// After the last touch the reader is about to store the print, so the print must be known.
  override var mayBeCancelled: Bool { stagesDone < stages || stages == 0 }

  private func didScan(_ done: Int, _ error: UnsafeMutablePointer<GError>?) {
    if unsafe error == nil { stagesDone = done }
    guard objection == nil else { return }
    restartLimit()
    if let error = unsafe error {
      // The library owns the error.
      report(.retry(unsafe ScanHint(code: error.pointee.code)))
    } else {
      report(.stage(done, of: stages))
    }
  }

  private func didEnroll(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    let print = unsafe fp_device_enroll_finish(device, result, &error)
    let failure = unsafe error.map { unsafe self.cause(consuming: $0) }
    if let print = unsafe print {
      // A finished print that is not kept must not stay on the reader.
      if let objection { return unsafe delete(print) { [self] _ in close(objection) } }
      return unsafe keep(print)
    }
    if let objection { return close(objection) }
    switch failure {
    case .duplicate where !wasDuplicate: identifyDuplicate()
    case .storageFull where !wasFull && !stale.isEmpty:
      wasFull = true
      let count = stale.count
      deleteStale { [self] in stale.count < count ? enroll() : close(.storageFull) }
    default: close(failure ?? .cancelled)
    }
  }

  private func keep(_ print: OpaquePointer) {
    do throws(ReaderError) {
      let stored = unsafe try serialized(print)
      unsafe release(print)
      result = .success(stored)
      tell(.success(stored))
      endSoon(0)
      close()
    } catch {
      unsafe delete(print) { [self] _ in close(error) }
    }
  }

  // MARK: prints on the reader

  /// Finds out as which of our prints the reader identifies the finger, and deletes a former one.
  private func identifyDuplicate() {
    wasDuplicate = true
    guard let device = unsafe device, let gallery, !gallery.isEmpty,
      hasFeature(FP_DEVICE_FEATURE_IDENTIFY)
    else { return close(.duplicate(nil)) }
    report(.retry(.removeFinger))
    restartLimit()
    unsafe fp_device_identify(
      device,
      gallery.array,
      cancellable,
      nil,
      nil,
      nil,
      { _, result, data in
        guard let session = unsafe session(taking: data) as? EnrollSession else { return }
        unsafe session.didIdentify(result)
      },
      retainedSelf()
    )
  }

  private func didIdentify(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    var match: OpaquePointer?
    _ = unsafe fp_device_identify_finish(device, result, &match, nil, &error)
    defer { unsafe release(match) }
    let cause = unsafe error.map { unsafe FinishedScan(consuming: $0, in: self) }
    if let objection { return close(objection) }
    switch cause {
    case .retry(let hint):
      report(.retry(hint))
      return identifyDuplicate()
    case .failed(let error): return close(error)
    case nil: break
    }
    guard let gallery, let index = unsafe gallery.index(of: match) else {
      return close(.duplicate(nil))
    }
    guard gallery.candidateIndices[index] < former.count else {
      return close(.duplicate(gallery.stored[index].finger))
    }
    stale = [index]
    deleteStale { [self] in stale.isEmpty ? enroll() : close(.duplicate(nil)) }
  }

  /// Deletes the former prints in sequence, then continues with `next`.
  private func deleteStale(_ from: Int = 0, then next: @escaping () -> Void) {
    guard objection == nil, stale.indices.contains(from), let gallery,
      let print = unsafe gallery[stale[from]]
    else { return next() }
    unsafe g_object_ref(UnsafeMutableRawPointer(print))
    unsafe delete(print) { [self] failure in
      guard failure == nil else { return deleteStale(from + 1, then: next) }
      report(.removed(gallery.candidateIndices[stale.remove(at: from)]))
      deleteStale(from, then: next)
    }
  }
}
