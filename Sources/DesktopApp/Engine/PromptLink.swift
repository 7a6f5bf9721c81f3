internal import GTK
internal import PresenceTerms
internal import SecretMemory
internal import Synchronization
internal import System
internal import VaultClient
internal import VaultInterface

/// What a check shows, in its order.
enum PromptStep: Sendable {
  /// A try by these methods begins.
  case begin([PresenceMethod], offersPassword: Bool)
  case event(PresenceEvent)
  /// The turn of this prompt has come, and the person is to say when to go on.
  case turn
  case question(String, isHidden: Bool, by: PresenceMethod)
}

/// One check on its thread: it shows its steps at the app's prompt, and takes the person's acts.
final class PromptLink: PresenceView, Sendable {
  /// What the person did at the prompt.
  enum Act: Sendable {
    case deny
    case choosePassword
    case proceed
    case answer(SharedSecret)
  }

  private struct Content: Sendable {
    var acts: [Act] = []
    var isShown = false
    var isMissing = false
    var asking = PresenceMethod.fallback
  }

  /// How long the prompt of another program may take to come to the screen, in seconds.
  private static let longestDisplay: Int64 = 2
  /// The same for a prompt of the app itself, which no other agent shows.
  private static let longestOwnDisplay: Int64 = 20

  let request: PresenceRequest
  /// Whether the app itself made the call, after an act of the person.
  let isOwn: Bool
  /// The steps, which end with the check.
  let steps: AsyncStream<PromptStep>
  private let next: AsyncStream<PromptStep>.Continuation
  private let wake: WakeEvent
  private let connection: Int32
  private let interrupt: Int32?
  private let content = Mutex(Content())

  init(
    _ request: PresenceRequest,
    isOwn: Bool,
    on connection: Connection
  ) throws(VaultClientError) {
    self.request = request
    self.isOwn = isOwn
    self.connection = connection.descriptor
    interrupt = connection.interrupt
    (steps, next) = AsyncStream.makeStream()
    do throws(SystemError) { wake = try WakeEvent() } catch { throw .system(error) }
  }

  /// Whether the prompt did not come to the screen in time.
  var isMissing: Bool { content.withLock { $0.isMissing } }

  /// The check is over.
  func end() { next.finish() }

  // MARK: The person

  /// Takes an act of the person.
  func did(_ act: Act) {
    content.withLock { $0.acts.append(act) }
    wake.signal()
  }

  /// The prompt is on the screen.
  func hasBeenShown() {
    content.withLock { $0.isShown = true }
    wake.signal()
  }

  // MARK: The check

  var input: Int32? { wake.descriptor.number }
  var cancelInput: Int32? { wake.descriptor.number }

  func begin(
    _ method: PresenceMethod,
    of methods: [PresenceMethod],
    isFirst: Bool
  ) throws(VaultClientError) {
    content.withLock { $0.asking = method.isDevice ? .key : method }
    let armed = methods.armed(for: method)
    next.yield(.begin(armed, offersPassword: !methods.allSatisfy(\.isDevice)))
    let limit = isOwn ? Self.longestOwnDisplay : Self.longestDisplay
    let end = BootInstant.now.advanced(bySeconds: limit)
    while !content.withLock({ $0.isShown }) {
      guard try Connection.wait(for: wake.descriptor.number, interrupt: interrupt, until: end)
      else {
        content.withLock { $0.isMissing = true }
        throw .refused(
          .presenceFailed(
            .notAvailable,
            message: tr("the prompt did not come to the screen"),
            methods: []
          )
        )
      }
      wake.clear()
    }
    // An act of the person may have come with it.
    wake.signal()
  }

  func show(_ event: PresenceEvent) { next.yield(.event(event)) }

  func takeInput() -> PresenceInput {
    switch takeAct() {
    case .deny: .cancel
    case .choosePassword: .password
    case .proceed, .answer, nil: .nothing
    }
  }

  func takeCancel() -> Bool {
    wake.clear()
    return content.withLock { $0.acts.contains(where: \.isDenial) }
  }

  func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    // What was done before was meant for the time before.
    content.withLock { $0.acts.removeAll { !$0.isDenial } }
    guard method.isDevice else { return true }
    next.yield(.turn)
    return try awaitAct(until: deadline) { if case .proceed = $0 { true } else { false } } != nil
  }

  func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    let asking = content.withLock { $0.asking }
    next.yield(.question(question, isHidden: hidden, by: asking))
    let act = try awaitAct(until: deadline) { if case .answer = $0 { true } else { false } }
    guard case .answer(let secret) = act else { return nil }
    return secret
  }

  private func takeAct() -> Act? {
    wake.clear()
    return content.withLock { content in
      guard !content.acts.isEmpty else { return nil }
      let act = content.acts.removeFirst()
      if !content.acts.isEmpty { wake.signal() }
      return act
    }
  }

  /// Waits for an act, unless the call is given up; `nil` if the person denied, the time is over,
  /// or the engine ended the prompt.
  private func awaitAct(
    until deadline: BootInstant,
    _ isAwaited: (Act) -> Bool
  ) throws(VaultClientError) -> Act? {
    repeat {
      while let act = takeAct() {
        if act.isDenial { return nil }
        if isAwaited(act) { return act }
      }
    } while try Connection.wait(
      for: wake.descriptor.number,
      ending: connection,
      interrupt: interrupt,
      until: deadline
    )
    return nil
  }
}

extension PromptLink.Act {
  var isDenial: Bool { if case .deny = self { true } else { false } }
}
