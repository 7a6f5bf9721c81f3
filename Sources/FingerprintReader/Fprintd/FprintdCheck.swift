internal import CFprint
internal import PresenceTerms

/// Lets fprintd verify a finger, for a user who may not open the reader.
final class FprintdCheck: FprintdSession, @unchecked Sendable {
  /// The interval of the reports that the reader still waits for a touch, in milliseconds.
  private static let tick: guint = 5000
  /// How long fprintd may take to release the reader, in milliseconds; then the session leaves.
  private static let patience: guint = 2000
  /// How long fprintd may take to open the reader, in milliseconds.
  private static let claimTime: Int32 = 10_000

  private enum Stage {
    case searching
    case claiming
    case starting
    case armed
    case releasing
  }

  private let expected: Set<Finger>
  /// The finger to verify; `nil` for any finger that the reader tells apart.
  private let first: Finger?
  private let milliseconds: Int
  private let report: (CheckEvent) -> Void
  private let cancellation: Cancellation
  private let done: (Result<Verdict, ReaderError>) -> Void

  private var stage = Stage.searching
  private var device = ""
  private var isVerifying = false
  /// Whether a result came before the reader was armed.
  private var cameEarly = false
  private var selected: Finger?
  private var failure: ReaderError?
  private var isTold = false
  private var pace = ArmingPace(burst: 0)
  private var deadline: Int64 = .max
  private var limitTimer = Timer()
  private var tickTimer = Timer()
  private var patienceTimer = Timer()

  /// Makes a check for a user who has enrolled exactly these fingers.
  init(
    _ address: String,
    _ cancellation: Cancellation,
    expected: Set<Finger>,
    first: Finger?,
    milliseconds: Int,
    report: @escaping (CheckEvent) -> Void,
    done: @escaping (Result<Verdict, ReaderError>) -> Void
  ) {
    self.cancellation = cancellation
    self.expected = expected
    self.first = first.flatMap { expected.contains($0) ? $0 : nil }
    self.milliseconds = milliseconds
    self.report = report
    self.done = done
    super.init(address)
  }

  override func found(_ devices: [Fprintd.Device]) {
    guard let first = devices.first(where: { !$0.fingers.isEmpty }), first.fingers == expected
    else { return leave(.notEnrolled) }
    device = first.path
    // Subscribe before the start, so that no result is missed and an early result is recognized.
    bus.subscribe(owner, device, Fprintd.device, "VerifyStatus") { [self] value in
      hear(value[0]?.string ?? "", isLast: value[1]?.isTrue ?? true)
    }
    bus.subscribe(owner, device, Fprintd.device, "VerifyFingerSelected") { [self] value in
      selected = Finger(desktopName: value[0]?.string ?? "")
    }
    claim()
  }

  override func ended(_ failure: ReaderError?) {
    limitTimer.stop()
    tickTimer.stop()
    patienceTimer.stop()
    pace.stop()
    tell(.failure(failure ?? .cancelled))
  }

  /// Reports the result, once.
  ///
  /// fprintd may need time to release the reader, or may hang.
  private func tell(_ result: Result<Verdict, ReaderError>) {
    guard !isTold else { return }
    isTold = true
    done(result)
  }

  override func stop(_ reason: ReaderError) {
    guard failure == nil, stage != .releasing, !isOver else { return }
    switch stage {
    case .searching: leave(reason)
    case .starting where pace.isWaiting:
      pace.stop()
      free(reason)
    case .claiming, .starting:
      // The pending answer decides whether there is something to release.
      failure = reason
      beginPatience()
    case .armed, .releasing: free(reason)
    }
  }

  // MARK: arming

  private func claim() {
    stage = .claiming
    call(device, "Claim", [.text("")], milliseconds: Self.claimTime) { [self] reply in
      if case .failure(let fault) = reply { return leave(failure ?? ReaderError(fprintd: fault)) }
      if let failure { return free(failure) }
      // No other client can enroll while the reader is claimed, so this list is the authoritative
      // one.
      askFingers(of: device) { [self] result in
        guard case .success(let fingers) = result else {
          if case .failure(let error) = result { free(failure ?? error) }
          return
        }
        if let failure { return free(failure) }
        guard fingers == expected else { return free(.notEnrolled) }
        start()
      }
    }
  }

  /// Starts a verification, at most five times a second.
  private func start() {
    stage = .starting
    let delay = pace.delay()
    guard delay > 0 else { return verify() }
    pace.wait(delay) { [self] in
      pace.stop()
      verify()
    }
  }

  private func verify() {
    cameEarly = false
    selected = nil
    call(device, "VerifyStart", [.text(first?.desktopName ?? "any")]) { [self] reply in
      if case .failure(let fault) = reply {
        return free(failure ?? ReaderError(fprintd: fault))
      }
      isVerifying = true
      if let failure { return free(failure) }
      // A result before this answer comes from a scan before the prompt asked for a touch.
      bus.call(
        owner,
        device,
        Fprintd.properties,
        "GetAll",
        [.text(Fprintd.device)],
        reply: "(a{sv})"
      ) { [self] _ in
        if let failure { return free(failure) }
        cameEarly ? again(.removeFinger) : arm()
      }
    }
  }

  private func arm() {
    stage = .armed
    if deadline == .max { setLimit() }
    report(.ready(only: selected))
  }

  private func setLimit() {
    deadline = boottime() + Int64(milliseconds)
    limitTimer.start(guint(clamping: milliseconds)) { [self] in stop(.timedOut) }
    tickTimer.repeat(Self.tick) { [self] in if stage == .armed { report(.waiting) } }
  }

  /// Starts again, because the last scan of the reader gave no decision.
  private func again(_ hint: ScanHint) {
    stage = .starting
    if deadline == .max { setLimit() }
    report(.retry(hint))
    call(device, "VerifyStop") { [self] _ in
      isVerifying = false
      if let failure { return free(failure) }
      start()
    }
  }

  // MARK: results

  private func hear(_ name: String, isLast: Bool) {
    guard stage == .armed else {
      cameEarly = cameEarly || isLast
      return
    }
    let status = Fprintd.Status(name)
    if status == .noMatch {
      // A miss always counts, so that a cancel at that moment saves no try.
      tell(.success(.noMatch))
      return free(nil)
    }
    if cancellation.isCancelled { return free(.cancelled) }
    guard boottime() <= deadline else { return free(.timedOut) }
    switch status {
    case .matched:
      tell(.success(.matched(selected ?? (expected.count == 1 ? expected.first : nil))))
      free(nil)
    case .noMatch: break
    case .retry(let hint): isLast ? again(hint) : report(.retry(hint))
    case .disconnected: free(.removed)
    case .failed, nil:
      // A newer fprintd may send other intermediate results: ignore them.
      guard isLast || name == "verify-unknown-error" else { return }
      free(.fprintd("it gave no verdict"))
    }
  }

  // MARK: end

  /// Makes fprintd close the reader, then ends the session.
  private func free(_ failure: ReaderError?) {
    guard stage != .releasing, !isOver else { return }
    stage = .releasing
    self.failure = failure
    ReaderThread.shared.markEnding(self)
    limitTimer.stop()
    tickTimer.stop()
    beginPatience()
    // Make the calls in sequence: fprintd may handle two concurrent calls in either order.
    guard isVerifying else { return giveBack() }
    call(device, "VerifyStop") { [self] _ in giveBack() }
  }

  private func giveBack() {
    call(device, "Release") { [self] _ in leave(failure) }
  }

  private func beginPatience() {
    patienceTimer.start(Self.patience) { [self] in leave(failure ?? .timedOut) }
  }
}
