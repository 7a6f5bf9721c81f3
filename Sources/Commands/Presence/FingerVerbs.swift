internal import JSON
internal import PlainText
internal import PresenceTerms
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// `fingers list, enroll, delete`.
enum FingerVerbs {
  static let all = [list, enroll, delete]

  /// The names of fingers, in the spelling of fprintd(8).
  static let names = ["left", "right"].flatMap { side in
    ["thumb", "index", "middle", "ring", "little"].map { "\(side)-\($0)" }
  }

  /// The most time between two touches, in seconds.
  private static let touchLimit: Int64 = 120

  static let list = Verb(
    "fingers list",
    summary: "list the enrolled fingers"
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { _ in ListFingersCall() }
    let desktop = reply.desktopFingers ?? []
    if reply.fingers.isEmpty && desktop.isEmpty && !session.output.json {
      session.output.talk("no finger is enrolled; reader: \(ReaderText.line(reply.reader))")
      return
    }
    try session.show(
      [
        "fingers": .array(reply.fingers.map { .string($0) }),
        "desktop_fingers": .array(desktop.map { .string($0) }),
        "finger_source": AccountText.optional(reply.fingerSource?.rawValue),
        "finger_reason": AccountText.optional(reply.fingerReason),
        "reader": .object(ReaderText.object(reply.reader)),
      ],
      FingerText.names(own: reply.fingers, desktop: desktop, reply.fingerSource)
        .joined(separator: "\n")
    )
    if let reason = reply.fingerReason { session.output.talk(reason) }
  }

  static let enroll = Verb(
    "fingers enroll",
    [Verb.Operand("FINGER", .optional, offers: .words(names))],
    summary: "enroll a finger; needs the system password",
    details: "FINGER is one of: \(names.joined(separator: ", ")). The default is right-index."
  ) { session throws(CommandError) in
    let finger = try session.arguments.operands.first.map(checked)
    _ = try session.terminal(for: "a finger on the reader")
    var progress = EnrollmentProgress(output: session.output)
    try session.stream(within: touchLimit) { prompt in
      EnrollFingerCall(finger: finger, prompt: prompt)
    } each: { reply throws(VaultClientError) in
      progress.show(reply)
    } meaning: { error in
      notEnrolled(error)
    }
    session.output.clearStatus()
    guard let done = progress.enrolled else { throw CommandError(VaultClientError.disconnected) }
    try session.report(["enrolled": .string(done)], "\(done) is enrolled")
  }

  static let delete = Verb(
    "fingers delete",
    [Verb.Operand("FINGER", .one, offers: .words(names))],
    summary: "delete a finger that was enrolled here; needs the system password",
    details: """
      If the reader stores prints itself, the print is deleted there as well. If that fails, the \
      message says so, and the next enrollment on that reader deletes it, unless the stored print \
      is damaged.
      Fingers that were enrolled in the desktop's settings are deleted there, or with \
      fprintd-delete.
      """
  ) { session throws(CommandError) in
    let finger = try checked(session.arguments.operands[0])
    let reply = try session.call(within: Session.localLimit) { prompt in
      DeleteFingerCall(finger: finger, prompt: prompt)
    }
    let left =
      reply.fingers.isEmpty ? "none is left" : "left: \(reply.fingers.joined(separator: ", "))"
    try session.report(
      [
        "deleted": .string(finger), "fingers": .array(reply.fingers.map { .string($0) }),
        "on_reader": AccountText.optional(reply.onReader),
      ],
      "\(finger) is deleted; \(left)"
    )
    if let why = reply.onReader {
      session.output.talk(
        "The reader may still store its print (\(PlainText.line(why, limit: 300)))."
          + " The next enrollment on that reader deletes it there,"
          + " unless the stored print is damaged."
      )
    }
  }

  /// The message about a finger that was not enrolled; `nil` for other errors.
  private static func notEnrolled(_ error: VaultClientError) -> CommandError? {
    guard case .refused(.presenceFailed(let outcome, let message, _)) = error else { return nil }
    return CommandError(
      ExitCode(outcome),
      PresenceText.withDetail("the finger was not enrolled", message),
      hint: outcome == .notAvailable
        ? "thumblatch doctor examines the reader; the system password passes checks without a reader"
        : PresenceText.hint(outcome)
    )
  }

  /// Checks the name of a finger.
  private static func checked(_ finger: String) throws(CommandError) -> String {
    guard !names.contains(finger) else { return finger }
    let nearest = Nearest.match(finger, in: names)
    throw CommandError(
      .notFound,
      "no such finger: \(finger)",
      hint: nearest.map { "did you mean: \($0)" } ?? "the fingers are "
        + names.joined(separator: ", ")
    )
  }
}

/// The display of an enrollment, stage by stage.
private struct EnrollmentProgress {
  let output: Output
  private(set) var enrolled: String?
  private var hasBegun = false

  init(output: Output) {
    self.output = output
  }

  mutating func show(_ reply: EnrollFingerReply) {
    let scan = reply.scan ?? .press
    if !hasBegun && reply.event != .done {
      hasBegun = true
      output.say(PresenceText.enrollment(reply.finger, stages: reply.stages, scan))
    }
    let bar = bar(reply)
    switch reply.event {
    case .waiting: output.status(bar + PresenceText.touch(nil, scan))
    case .stage:
      let isLast = reply.stages > 0 && reply.stage >= reply.stages
      output.status(bar + PresenceText.nextStage(scan, isLast: isLast))
    case .retry: output.status("\(bar)\(PresenceText.advice(reply.hint, scan))")
    case .done: enrolled = reply.finger
    }
  }

  private func bar(_ reply: EnrollFingerReply) -> String {
    guard (1...50).contains(reply.stages) else { return "" }
    let done = min(max(0, reply.stage), reply.stages)
    let marks =
      String(repeating: "#", count: done) + String(repeating: "-", count: reply.stages - done)
    return "[\(marks)] \(done) of \(reply.stages): "
  }
}
