internal import CFprint

/// Asks fprintd what it has; no reader is opened for that.
final class FprintdQuery: FprintdSession, @unchecked Sendable {
  /// What is asked.
  enum Question {
    /// The fingers that the user has enrolled.
    case fingers
    /// What the first reader of an fprintd that runs says about itself.
    case facts
    /// Whether an fprintd that runs knows a reader.
    case reader
    /// Whether a program uses a reader through an fprintd that runs.
    case use
    /// The fingers, if an fprintd runs.
    case knownFingers
  }

  /// What fprintd said.
  struct Answer {
    var fingers: Set<Finger> = []
    /// The name of the first reader; empty while no fprintd runs that could tell it.
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

  /// Short if a check or an enrolment waits for the answer.
  override var searchTime: guint { question == .use ? 1000 : 5000 }
  /// A start of fprintd makes its list of readers, which probes them.
  override var startsService: Bool { question == .fingers }
  override var asksForFingers: Bool { question == .fingers || question == .knownFingers }

  override func found(_ devices: [Fprintd.Device]) {
    // The same choice as that of a check.
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
    // Which fingers it would tell of is not known.
    case .knownFingers where canStart: leave(.busy(nil))
    default: leave(.noReader)
    }
  }

  /// Claims each reader for a moment: nothing else shows whether a program has one.
  private func claim(_ devices: ArraySlice<Fprintd.Device>) {
    guard let path = devices.first?.path else { return leave(nil) }
    call(path, "Claim", [.text("")], milliseconds: 10_000) { [self] reply in
      switch reply {
      case .success: call(path, "Release") { [self] _ in claim(devices.dropFirst()) }
      case .failure(let fault):
        if case .busy = ReaderError(fprintd: fault) { return leave(.busy(fault)) }
        // What fprintd refuses says nothing about the reader.
        claim(devices.dropFirst())
      }
    }
  }

  override func ended(_ failure: ReaderError?) {
    done(failure.map { .failure($0) } ?? .success(answer))
  }
}
