internal import Synchronization
internal import System
internal import VaultInterface

/// Couriers that have started and wait for a request: at most one is kept ahead of the next request.
///
/// A courier takes 10 ms and more to start, most of it for its libraries. It knows neither user nor slot
/// nor secret before its request, and serves one. It ends when this process does.
final class SpareCourier: Sendable {
  /// How long the start of a courier may take, in seconds: the service manager has to find room for it.
  private static let startSeconds: Int64 = 10
  /// How long one that has started may take to answer a greeting, in seconds.
  private static let answerSeconds: Int64 = 1
  /// How long one is kept that no request needs, in nanoseconds: it holds memory, and the libraries of its
  /// start.
  private static let keepingTime: UInt64 = 300 * 1_000_000_000

  private enum State {
    case none
    /// Its start has begun; the request that waits takes it.
    case starting(CheckedContinuation<HelperLink?, Never>?)
    case ready(HelperLink, number: UInt64)
  }

  private let route: HelperRoute
  private let state = Mutex((spare: State.none, last: UInt64(0)))

  init(by route: HelperRoute) {
    self.route = route
  }

  /// Starts one if none is kept; returns at once.
  func prepare() {
    let isDue = state.withLock { state in
      guard case .none = state.spare else { return false }
      state.spare = .starting(nil)
      return true
    }
    guard isDue else { return }
    do throws(SystemError) {
      try startThread { [self] in keep(try? start()) }
    } catch {
      keep(nil)
    }
  }

  /// A courier that has just answered, for this request alone.
  ///
  /// - Throws: why none could be started; nothing was sent then.
  func take() async throws(HelperError) -> HelperLink {
    if let spare = await kept() { return spare }
    let started: Result<HelperLink, HelperError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread { [self] in
          continuation.resume(returning: Result { () throws(HelperError) in try start() })
        }
      } catch {
        continuation.resume(returning: .failure(.notStarted("\(error)")))
      }
    }
    return try started.get()
  }

  /// Takes one back that was not used.
  func giveBack(_ link: HelperLink) { keep(link) }

  /// The spare one, if there is one that still answers; one that has died, or whose program was replaced,
  /// does not.
  ///
  /// One that was still starting is asked as well: its program may have been replaced meanwhile.
  private func kept() async -> HelperLink? {
    guard let link = await taken() else { return nil }
    return await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread {
          let answers = Self.answers(link, within: Self.answerSeconds)
          if !answers { link.finish(withinMilliseconds: 0) }
          continuation.resume(returning: answers ? link : nil)
        }
      } catch {
        link.finish(withinMilliseconds: 0)
        continuation.resume(returning: nil)
      }
    }
  }

  /// Takes the spare one, as soon as it has started.
  private func taken() async -> HelperLink? {
    await withCheckedContinuation { continuation in
      let (isKnown, link) = state.withLock { state -> (Bool, HelperLink?) in
        switch state.spare {
        // Another request takes the one that starts.
        case .none, .starting(.some): return (true, nil)
        case .starting(nil):
          state.spare = .starting(continuation)
          return (false, nil)
        case .ready(let link, _):
          state.spare = .none
          return (true, link)
        }
      }
      if isKnown { continuation.resume(returning: link) }
    }
  }

  /// Keeps a courier that has started, or hands it to the request that waits; nil: it could not be started.
  private func keep(_ link: HelperLink?) {
    enum Step {
      case hand(CheckedContinuation<HelperLink?, Never>)
      case watch(UInt64)
      case end
    }
    let step = state.withLock { state -> Step in
      switch state.spare {
      case .starting(let waiting?):
        state.spare = .none
        return .hand(waiting)
      case .starting(nil), .none:
        guard let link else {
          state.spare = .none
          return .end
        }
        state.last += 1
        state.spare = .ready(link, number: state.last)
        return .watch(state.last)
      case .ready: return .end
      }
    }
    switch step {
    case .hand(let waiting): waiting.resume(returning: link)
    case .watch(let number): endLater(number)
    case .end: link.map(Self.end)
    }
  }

  /// Ends the spare of this number if it is still there after its time.
  private func endLater(_ number: UInt64) {
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.keepingTime)
      self?.endUnused(number)
    }
  }

  private func endUnused(_ number: UInt64) {
    let unused = state.withLock { state -> HelperLink? in
      guard case .ready(let link, number) = state.spare else { return nil }
      state.spare = .none
      return link
    }
    unused.map(Self.end)
  }

  private static func end(_ link: HelperLink) {
    // Its end is waited for. Without a thread its socket closes here, and it ends all the same.
    try? startThread { link.finish(withinMilliseconds: 1000) }
  }

  private func start() throws(HelperError) -> HelperLink {
    let link = try HelperLink(.exchange, by: route)
    guard Self.answers(link, within: Self.startSeconds) else {
      link.finish(withinMilliseconds: 0)
      throw .notStarted("the courier did not start")
    }
    return link
  }

  /// Whether a courier has begun, and answers a question that asks for nothing.
  private static func answers(_ link: HelperLink, within seconds: Int64) -> Bool {
    var buffer = MessageBuffer(.helper)
    let deadline = BootInstant.now.advanced(bySeconds: seconds)
    return (try? link.greet(&buffer, until: deadline)) != nil
  }
}
