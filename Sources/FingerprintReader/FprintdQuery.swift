internal import CFprint

/// Asks fprintd what it has; no reader is opened for that.
final class FprintdQuery: FprintdSession, @unchecked Sendable {
  /// What is asked.
  enum Question {
    /// The fingers that the user has enrolled.
    case fingers
    /// What the first reader says about itself.
    case facts
    /// Whether an fprintd that runs knows a reader.
    case reader
  }

  /// What fprintd said.
  struct Answer {
    var fingers: Set<Finger> = []
    var facts: ReaderFacts?
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

  override var startsService: Bool { question != .reader }
  override var asksForFingers: Bool { question == .fingers }

  override func found(_ devices: [Fprintd.Device]) {
    // The same choice as that of a check.
    answer.fingers = devices.first { !$0.fingers.isEmpty }?.fingers ?? []
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
        answer.facts = ReaderFacts(
          name: LibraryFault.plain(value[0]?["name"]?.string ?? ""),
          driver: "fprintd",
          device: path,
          stages: max(0, value[0]?["num-enroll-stages"]?.number ?? 0),
          identifies: false
        )
        leave(nil)
      case .failure(let fault): leave(ReaderError(fprintd: fault))
      }
    }
  }

  override func ended(_ failure: ReaderError?) {
    done(failure.map { .failure($0) } ?? .success(answer))
  }
}
