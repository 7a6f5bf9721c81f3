internal import HelperInterface
internal import Synchronization
internal import System
internal import TokenVault

/// Exchange helpers that have started and wait for a request.
///
/// At most one is kept for the next request.
///
/// An exchange helper takes 10 ms or more to start, mostly for its libraries. Before its request it
/// knows no user, no slot and no secret. It serves one request, and ends when this process does.
final class SpareExchangeHelper: Sendable {
  /// How long the start of a helper may take, in seconds.
  ///
  /// The service manager may be busy.
  private static let startSeconds: Int64 = 10
  /// How long a started helper may take to answer another greeting, in seconds.
  ///
  /// After an answer, the helper counts as running for this time.
  private static let answerSeconds: Int64 = 1
  /// How long the calling thread may wait for an answer, in milliseconds.
  private static let waitLimit: Int32 = 2
  /// How long an unused helper is kept, in nanoseconds.
  ///
  /// It uses memory, and the libraries that it has loaded may become outdated.
  private static let keepingTime: UInt64 = 300 * 1_000_000_000
  /// How long to delay the start of a helper, in nanoseconds.
  ///
  /// The start takes the kernel milliseconds, and the reply to the caller should not wait for that.
  private static let courtesy: UInt64 = 10 * 1_000_000

  /// A spare helper that has answered a greeting.
  struct ExchangeHelper {
    let link: HelperLink
    /// The identity of its program file before the start; `nil` if there was none.
    let program: InstalledProgram?

    /// Whether it accepts a request that it must not send yet.
    let canWait: Bool

    /// When a greeting was sent whose answer was not read; `nil` if there is none.
    fileprivate(set) var asked: BootInstant?

    /// Whether its file was not replaced since its start.
    fileprivate var isCurrent: Bool {
      program != nil && program == (try? InstalledProgram(Helper.exchange.program))
    }
  }

  private enum State {
    case none
    /// A helper is starting.
    ///
    /// The waiting request that takes the starting helper.
    case starting(CheckedContinuation<ExchangeHelper?, Never>?)
    case ready(ExchangeHelper, number: UInt64)
  }

  private let route: HelperRoute
  private let state = Mutex((spare: State.none, last: UInt64(0)))
  /// How many requests have taken a helper.
  private let requests = Atomic(0)

  init(by route: HelperRoute) {
    self.route = route
  }

  /// Starts a helper after the present reply, unless one is kept then.
  ///
  /// Returns at once.
  ///
  /// If a request comes earlier, its own reply starts the next helper.
  func prepareLater() {
    let known = requests.load(ordering: .relaxed)
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.courtesy)
      if let self, requests.load(ordering: .relaxed) == known { prepare() }
    }
  }

  /// Starts a helper, or checks whether the kept one still runs.
  ///
  /// Returns at once.
  func prepare() {
    let isDue = state.withLock { state in
      switch state.spare {
      case .none:
        state.spare = .starting(nil)
        return true
      case .starting: return false
      case .ready(let exchangeHelper, let number):
        state.spare = .ready(Self.asked(exchangeHelper), number: number)
        return false
      }
    }
    guard isDue else { return }
    do throws(SystemError) {
      try startThread { [self] in keep(try? start()) }
    } catch {
      keep(nil)
    }
  }

  /// Takes a waiting helper, only for this request.
  ///
  /// - Throws: why no helper could be started. Nothing was sent then.
  func take() async throws(HelperError) -> ExchangeHelper {
    requests.add(1, ordering: .relaxed)
    if let spare = await taken() {
      if await Self.isReady(spare) {
        var ready = spare
        ready.asked = nil
        return ready
      }
      Self.end(spare.link, withinMilliseconds: 0)
    }
    let started: Result<ExchangeHelper, HelperError>
    do throws(SystemError) {
      started = try await onThread { [self] in
        Result { () throws(HelperError) in try start() }
      }
    } catch {
      throw .notStarted("\(error)")
    }
    return try started.get()
  }

  /// Sends a greeting if only an answer can show that the helper runs.
  ///
  /// The answer comes while the engine has other work.
  private static func asked(_ exchangeHelper: ExchangeHelper) -> ExchangeHelper {
    guard exchangeHelper.asked == nil, exchangeHelper.link.isIdle == nil,
      (try? exchangeHelper.link.sendGreeting()) != nil
    else { return exchangeHelper }
    var asked = exchangeHelper
    asked.asked = .now
    return asked
  }

  /// Whether a helper may get a request: it runs, and its file was not replaced.
  ///
  /// A helper that gets a greeting checks its own files. It ends without an answer if one was
  /// replaced.
  private static func isReady(_ exchangeHelper: ExchangeHelper) async -> Bool {
    let link = exchangeHelper.link
    if let asked = exchangeHelper.asked {
      guard await answers(link) else { return false }
      if BootInstant.now.seconds(since: asked) < answerSeconds { return true }
    }
    if let isIdle = link.isIdle { return isIdle && exchangeHelper.isCurrent }
    guard (try? link.sendGreeting()) != nil else { return false }
    return await answers(link)
  }

  /// Whether a helper answers the greeting that was sent.
  private static func answers(_ link: HelperLink) async -> Bool {
    let deadline = BootInstant.now.advanced(bySeconds: answerSeconds)
    let answer: @Sendable () -> Bool = { (try? link.receiveGreeting(until: deadline)) != nil }
    // A helper that runs answers sooner than a thread starts.
    if link.waitReadable(milliseconds: waitLimit) { return answer() }
    return (try? await onThread(answer)) ?? false
  }

  /// Takes an unused helper back.
  func giveBack(_ exchangeHelper: ExchangeHelper) { keep(exchangeHelper) }

  /// Takes the spare helper as soon as it has started.
  private func taken() async -> ExchangeHelper? {
    await withCheckedContinuation { continuation in
      let (isKnown, exchangeHelper) = state.withLock { state -> (Bool, ExchangeHelper?) in
        switch state.spare {
        // Another request takes the helper that is starting.
        case .none, .starting(.some): return (true, nil)
        case .starting(nil):
          state.spare = .starting(continuation)
          return (false, nil)
        case .ready(let exchangeHelper, _):
          state.spare = .none
          return (true, exchangeHelper)
        }
      }
      if isKnown { continuation.resume(returning: exchangeHelper) }
    }
  }

  /// Keeps a started helper, or passes it to the waiting request; `nil` if it could not be started.
  private func keep(_ exchangeHelper: ExchangeHelper?) {
    enum Step {
      case hand(CheckedContinuation<ExchangeHelper?, Never>)
      case watch(UInt64)
      case end
    }
    let step = state.withLock { state -> Step in
      switch state.spare {
      case .starting(let waiting?):
        state.spare = .none
        return .hand(waiting)
      case .starting(nil), .none:
        guard let exchangeHelper else {
          state.spare = .none
          return .end
        }
        state.last += 1
        state.spare = .ready(exchangeHelper, number: state.last)
        return .watch(state.last)
      case .ready: return .end
      }
    }
    switch step {
    case .hand(let waiting): waiting.resume(returning: exchangeHelper)
    case .watch(let number): if let exchangeHelper { endLater(number, exchangeHelper.link) }
    case .end: if let exchangeHelper { Self.end(exchangeHelper.link, withinMilliseconds: 1000) }
    }
  }

  /// Ends the spare helper of this number if it is still there after its time, or when it has died.
  private func endLater(_ number: UInt64, _ link: HelperLink) {
    // A child that has died is a zombie until this process waits for it.
    if link.isChild {
      let watch: ()? = try? startThread { [weak self] in
        link.awaitEnd(withinMilliseconds: Int32(Self.keepingTime / 1_000_000))
        self?.endUnused(number)
      }
      if watch != nil { return }
    }
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.keepingTime)
      self?.endUnused(number)
    }
  }

  private func endUnused(_ number: UInt64) {
    let unused = state.withLock { state -> ExchangeHelper? in
      guard case .ready(let exchangeHelper, number) = state.spare else { return nil }
      state.spare = .none
      return exchangeHelper
    }
    if let unused { Self.end(unused.link, withinMilliseconds: 1000) }
  }

  /// Ends a helper that was not used but has its request already.
  func end(_ exchangeHelper: ExchangeHelper) {
    exchangeHelper.link.stop()
    Self.end(exchangeHelper.link, withinMilliseconds: 1000)
  }

  private static func end(_ link: HelperLink, withinMilliseconds limit: Int32) {
    // A thread waits for its end. Without a thread, its socket closes here, which ends it too.
    try? startThread { link.finish(withinMilliseconds: limit) }
  }

  /// Starts a helper, and waits until it answers a call without effect.
  private func start() throws(HelperError) -> ExchangeHelper {
    let program = try? InstalledProgram(Helper.exchange.program)
    let link = try HelperLink(.exchange, by: route)
    do throws(HelperError) {
      try link.sendGreeting()
      let deadline = BootInstant.now.advanced(bySeconds: Self.startSeconds)
      let canWait = try link.receiveGreeting(until: deadline)
      return ExchangeHelper(link: link, program: program, canWait: canWait)
    } catch {
      link.finish(withinMilliseconds: 0)
      throw .notStarted("the exchange helper did not start")
    }
  }
}
