internal import CFprint

/// Queries fprintd without opening a reader.
final class FprintdQuery: FprintdSession, @unchecked Sendable {
  /// The subject of a query.
  enum Question {
    /// The fingers that the user has enrolled.
    case fingers
    /// The facts about the first reader of a running fprintd.
    case facts
    /// Whether a running fprintd knows a reader.
    case reader
    /// Whether a program uses a reader through a running fprintd.
    case use
    /// The fingers, if fprintd is running.
    case knownFingers
  }

  /// The answer of fprintd.
  struct Answer {
    var fingers: Set<Finger> = []
    /// The name of the first reader; empty if no fprintd runs that could give it.
    var name: String?
  }

  private let question: Question
  private let done: (Result<Answer, ReaderError>) -> Void
  private var answer = Answer()

  init(
    _ address: String,
    _ question: Question,
    done: @escaping (Result<Answer, ReaderError>) -> Void
  ) {
    self.question = question
    self.done = done
    super.init(address)
  }

  /// Short if a check or an enrollment waits for the answer.
  override var searchTime: guint { question == .use ? 1000 : 5000 }
  /// Starting fprintd makes it list its readers, which probes them.
  override var startsService: Bool { question == .fingers }
  override var asksForFingers: Bool { question == .fingers || question == .knownFingers }

  override func found(_ devices: [Fprintd.Device]) {
    // Choose the same reader as a check does.
    answer.fingers = devices.first { !$0.fingers.isEmpty }?.fingers ?? []
    if question == .use { return claim(devices[...]) }
    guard question == .facts, let path = devices.first?.path else { return leave(nil) }
    bus.call(
      owner,
      path,
      Fprintd.properties,
      "GetAll",
      [.text(Fprintd.device)],
      reply: "(a{sv})"
    ) { [self] reply in
      switch reply {
      case .success(let value):
        answer.name = LibraryFault.plain(value[0]?["name"]?.string ?? "")
        leave(nil)
      case .failure(let fault): leave(ReaderError(fprintd: fault))
      }
    }
  }

  override func notRunning(canStart: Bool) {
    switch question {
    case .facts where canStart:
      answer.name = ""
      leave(nil)
    // The fingers are unknown, because fprintd is not running.
    case .knownFingers where canStart: leave(.busy(nil))
    default: leave(.noReader)
    }
  }

  /// Claims each reader for a moment: nothing else shows whether a program uses it.
  private func claim(_ devices: ArraySlice<Fprintd.Device>) {
    guard let path = devices.first?.path else { return leave(nil) }
    call(path, "Claim", [.text("")], milliseconds: 10_000) { [self] reply in
      switch reply {
      case .success: call(path, "Release") { [self] _ in claim(devices.dropFirst()) }
      case .failure(let fault):
        if case .busy = ReaderError(fprintd: fault) { return leave(.busy(fault)) }
        // Another refusal says nothing about the reader.
        claim(devices.dropFirst())
      }
    }
  }

  override func ended(_ failure: ReaderError?) {
    done(failure.map { .failure($0) } ?? .success(answer))
  }
}
