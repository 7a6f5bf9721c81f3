internal import FingerprintReader
internal import Glibc
internal import PresenceTerms
internal import System
internal import SystemBus

/// Lets fprintd verify a finger, for a user who may not open the reader.
struct FprintdCheck {
  /// How long fprintd may take to open the reader, in milliseconds.
  private static let claimTime = 10_000
  /// How long it may take to answer after a stop or the deadline, and to release the reader.
  private static let stopTime = 2000
  /// The interval of the reports that the reader still waits for a touch, in milliseconds.
  private static let tick = 5000
  /// The minimum time between two starts, in milliseconds, because fprintd may end each at once.
  private static let interval = 200

  private let session: FprintdSession
  /// The path of the reader.
  private let reader: String
  private let expected: Set<Finger>
  private let first: Finger?
  private let milliseconds: Int
  private let stop: Int32
  private let report: (CheckEvent) -> Void

  private var isVerifying = false
  private var selected: Finger?
  private var nextStart = BootInstant(nanoseconds: 0)
  private var nextReport = BootInstant(nanoseconds: .max)
  private var deadline = BootInstant(nanoseconds: .max)

  /// Finds the reader of a user who has enrolled exactly these fingers.
  init(
    _ address: String,
    _ expected: Set<Finger>,
    first: Finger?,
    milliseconds: Int,
    stop: Int32,
    report: @escaping (CheckEvent) -> Void
  ) throws(ReaderError) {
    session = try FprintdSession(address, starting: true, stop: stop)
    guard let (reader, fingers) = try session.readerWithFingers(), fingers == expected else {
      throw .notEnrolled
    }
    self.reader = reader
    self.expected = expected
    self.first = first.flatMap { expected.contains($0) ? $0 : nil }
    self.milliseconds = milliseconds
    self.stop = stop
    self.report = report
  }

  /// Runs the check until the reader is released.
  ///
  /// A verdict is reported earlier.
  ///
  /// fprintd may need time to release the reader, or may hang.
  mutating func run(_ tell: (Verdict) -> Void) throws(ReaderError) {
    // Subscribe before the start, so that no result is missed and an early result is recognized.
    try session.subscribe(to: reader)
    try session.call(reader, "Claim", "", within: limit(Self.claimTime))
    defer { release() }
    tell(try verify())
  }

  /// Makes fprintd close the reader.
  ///
  /// The calls come in sequence: fprintd may handle two concurrent calls in either order.
  private func release() {
    let limit = BusLimit(milliseconds: Self.stopTime)
    if isVerifying { try? session.call(reader, "VerifyStop", within: limit) }
    try? session.call(reader, "Release", within: limit)
  }

  /// Verifies until there is a verdict.
  private mutating func verify() throws(ReaderError) -> Verdict {
    try requireTime()
    // No other client can enroll while the reader is claimed, so this list is the authoritative
    // one.
    guard try session.fingers(of: reader, within: limit()) == expected else { throw .notEnrolled }
    while true {
      try awaitStart()
      let isArmed = try start()
      if deadline.nanoseconds == .max {
        deadline = .now(plus: milliseconds)
        nextReport = .now(plus: Self.tick)
      }
      let hint: ScanHint
      if isArmed {
        report(.ready(only: selected))
        switch try listen() {
        case .verdict(let verdict): return verdict
        case .again(let last): hint = last
        }
      } else {
        hint = .removeFinger
      }
      report(.retry(hint))
      try? session.call(reader, "VerifyStop", within: limit())
      isVerifying = false
    }
  }

  /// Waits until the next start is allowed, at most five times a second.
  private mutating func awaitStart() throws(ReaderError) {
    try requireTime()
    while BootInstant.now < nextStart {
      // Signals between two verifications have no meaning.
      _ = try session.nextSignal(of: reader, until: min(nextStart, deadline))
      try requireTime()
    }
    nextStart = .now(plus: Self.interval)
  }

  /// Starts a verification; false if a result came before the reader was armed.
  ///
  /// Such a result comes from a scan before the prompt asked for a touch.
  private mutating func start() throws(ReaderError) -> Bool {
    selected = nil
    try session.call(reader, "VerifyStart", first?.desktopName ?? "any", within: limit())
    isVerifying = true
    try requireTime()
    var isArmed = true
    for signal in try session.earlySignals(of: reader, within: limit()) {
      switch signal {
      case .selected(let finger): selected = finger
      case .status(_, let isLast): isArmed = isArmed && !isLast
      }
    }
    try requireTime()
    return isArmed
  }

  private enum Scan {
    case verdict(Verdict)
    /// The verification has ended without a decision.
    case again(ScanHint)
  }

  /// Waits for a scan that ends the verification.
  private mutating func listen() throws(ReaderError) -> Scan {
    while true {
      let signal = try session.nextSignal(of: reader, until: min(deadline, nextReport))
      // A miss always counts, so that cancelling at that moment does not save a try.
      if case .status("verify-no-match", _) = signal { return .verdict(.noMatch) }
      try requireTime()
      switch signal {
      case nil:
        report(.waiting)
        nextReport = .now(plus: Self.tick)
      case .selected(let finger): selected = finger
      case .status("verify-match", _):
        return .verdict(.matched(selected ?? (expected.count == 1 ? expected.first : nil)))
      case .status("verify-disconnected", _): throw .removed
      case .status(let status, let isLast):
        if let hint = ScanHint(fprintd: status) {
          if isLast { return .again(hint) }
          report(.retry(hint))
        } else if isLast || status == "verify-unknown-error" {
          throw .fprintd("it gave no verdict")
        }
      // A newer fprintd may send other intermediate results, which are ignored.
      }
    }
  }

  /// The limit of a call whose answer decides what must be released.
  private func limit(_ milliseconds: Int = 5000) -> BusLimit {
    let last = deadline.advanced(byMilliseconds: Self.stopTime)
    return BusLimit(
      until: min(.now(plus: milliseconds), last),
      interrupt: stop,
      grace: Self.stopTime
    )
  }

  /// Throws if the check was stopped, or its time has passed.
  private func requireTime() throws(ReaderError) {
    var waiting = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&waiting, 1, 0) > 0 { throw .cancelled }
    if deadline <= BootInstant.now { throw .timedOut }
  }
}
