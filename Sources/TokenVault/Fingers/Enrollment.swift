internal import AuditLog
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// The names that libfprint has for fingers (FpFinger).
  package static let fingerNames = [
    "left-thumb", "left-index", "left-middle", "left-ring", "left-little",
    "right-thumb", "right-index", "right-middle", "right-ring", "right-little",
  ]
  /// How long an enrollment waits for each touch, in seconds.
  static let enrollmentSeconds: Int64 = 120

  /// Enrolls a finger: seals its print and stores it.
  ///
  /// It needs the system password.
  ///
  /// Cancelling the task stops it and releases the reader.
  ///
  /// - Parameters:
  ///   - finger: one of `fingerNames`; `nil` for `right-index`.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that asks.
  ///   - report: gets each stage and each bad scan.
  /// - Returns: the finger.
  /// - Throws: `presenceNeeded`, `presenceFailed` if the reader gave no print or the caller is not
  ///   at the reader, `refused` for a finger that is enrolled already.
  package func enroll(
    _ finger: String?,
    prompt: String?,
    caller: Caller,
    report: @Sendable (EnrollmentEvent) -> Void
  ) async throws(VaultFailure) -> String {
    let finger = finger ?? "right-index"
    let location = try await demandEnrollable(finger, caller)
    let question = caller.question(.enroll, detail: finger)
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    guard enrollments.isEmpty else { throw .busy("another finger is being enrolled") }
    guard try spend(prompt, question, caller) == .password else {
      throw .needsPassword(methods: [.password])
    }
    enrollments.begin(for: caller.connection, at: location.name)
    defer { enrollments.end(for: caller.connection) }
    let former = try formerPrints()
    let request = EnrollmentRequest(
      finger: finger,
      own: try printRows().compactMap(opened),
      former: former.map(\.print),
      seconds: Self.enrollmentSeconds
    )
    var gone: [[UInt8]] = []
    let taken: TakenPrint
    do throws(PresenceFailure) {
      taken = try await takenPrint(request, caller.connection) { event in
        if case .removed(let location) = event, former.indices.contains(location) {
          gone.append(former[location].id)
        } else {
          report(event)
        }
      }
    } catch {
      throw try enrollmentFailed(finger, error, caller, gone: gone)
    }
    do throws(VaultFailure) {
      try keep(taken, finger: finger, caller: caller, gone: gone)
    } catch {
      // The reader deletes a print that is not stored here.
      taken.conversation.cancel()
      throw error
    }
    taken.conversation.keep()
    return finger
  }

  /// Refuses a finger that cannot be enrolled, and a caller that is not at the reader.
  ///
  /// Otherwise a remote caller would enroll the touches of the person at the reader.
  private func demandEnrollable(
    _ finger: String,
    _ caller: Caller
  ) async throws(VaultFailure) -> CallerLocation {
    guard Self.fingerNames.contains(finger) else {
      throw .invalidArgument(
        "no such finger; use one of \(Self.fingerNames.joined(separator: ", "))"
      )
    }
    guard try !printRows().contains(where: { $0.finger == finger }) else {
      throw .refused("\(finger) is enrolled already")
    }
    try demandRoom()
    let location = await location(of: caller)
    if let objection = location.objection {
      throw .presenceFailed(
        .notAvailable("a finger is enrolled at the machine itself: \(objection)"),
        methods: []
      )
    }
    return location
  }

  /// A finished enrollment, whose print the reader keeps on request.
  private struct TakenPrint {
    let print: SharedSecret
    let driver: String
    let device: String
    let conversation: any EnrollmentConversation
  }

  private func takenPrint(
    _ request: EnrollmentRequest,
    _ connection: UInt64,
    _ report: (EnrollmentEvent) -> Void
  ) async throws(PresenceFailure) -> TakenPrint {
    enrollments.beginTaking()
    defer { enrollments.endTaking() }
    let conversation = try await check.enroll(request)
    // If the caller has gone, the next touch may be another person's.
    guard isEnrolling(connection) else {
      await end(conversation)
      throw .cancelled
    }
    enrollments.keep(conversation, for: connection)
    while true {
      let event = await withTaskCancellationHandler {
        await conversation.next()
      } onCancel: {
        conversation.cancel()
      }
      guard isEnrolling(connection) else {
        await end(conversation, after: event)
        throw .cancelled
      }
      switch event {
      case .failed(let failure): throw failure
      case .done(let print, let driver, let device):
        return TakenPrint(print: print, driver: driver, device: device, conversation: conversation)
      case .reader(let reader):
        remember(reader)
        report(event)
      default: report(event)
      }
    }
  }

  /// Ends an enrollment, and returns when its helper has released the reader.
  private func end(
    _ conversation: any EnrollmentConversation,
    after event: EnrollmentEvent? = nil
  ) async {
    conversation.cancel()
    var last = event
    while true {
      switch last {
      case .failed, .done: return
      default: last = await conversation.next()
      }
    }
  }

  private func isEnrolling(_ connection: UInt64) -> Bool {
    enrollments.isRunning(for: connection) && !Task.isCancelled
  }

  func printRows() throws(VaultFailure) -> [PrintRow] {
    try stored(try store.prints(owner: owner))
  }

  private func keep(
    _ taken: TakenPrint,
    finger: String,
    caller: Caller,
    gone: [[UInt8]]
  ) throws(VaultFailure) {
    var row = PrintRow(
      id: try random(16),
      owner: owner,
      finger: finger,
      driver: taken.driver,
      device: taken.device,
      sealed: [],
      enrolledAt: clock.wall.seconds
    )
    let enrolled = try mappingErrors(to: .unexpected("sealing the print failed")) {
      row.sealed = try box(taken.print.bytes, try printContext(row))
      return try member(row, taken.print.bytes)
    }
    try changeSealed {
      try store.insert(row)
      try forgetFormer(gone)
      try rebind { $0.insert(enrolled) }
      try record(.enrollment, .done, by: caller, detail: finger)
    }
  }

  /// A print opens only for this owner, finger and reader: one copied from another does not.
  func printContext(
    _ row: PrintRow,
    generation: UInt64 = 0
  ) throws(CryptographyError) -> BoxContext {
    let separator: [UInt8] = [0]
    return try BoxContext(
      kind: .print,
      vault: identifier,
      owner: row.owner,
      account: row.id,
      protection: .none,
      generation: generation,
      binding: try sha256(
        Array(row.finger.utf8) + separator + Array(row.driver.utf8) + separator
          + Array(row.device.utf8)
      )
    )
  }

  private func enrollmentFailed(
    _ finger: String,
    _ failure: PresenceFailure,
    _ caller: Caller,
    gone: [[UInt8]]
  ) throws(VaultFailure) -> VaultFailure {
    try change {
      try forgetFormer(gone)
      try record(.enrollment, .failed, by: caller, detail: "\(finger): \(failure.auditText)")
    }
    return failure.outcome == .busy ? .busy(failure.detail) : .presenceFailed(failure, methods: [])
  }
}
