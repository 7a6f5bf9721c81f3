internal import Cryptography
internal import Presence
internal import SecretMemory
internal import Storage
internal import System

/// An enrolment that runs for a connection.
struct EnrollmentRun {
  /// The name of the place of the one who enrols.
  let place: String
  /// Nil while it is being started.
  var conversation: (any EnrollmentConversation)?
}

extension Vault {
  /// The names that libfprint has for fingers (FpFinger).
  public static let fingerNames = [
    "left-thumb", "left-index", "left-middle", "left-ring", "left-little",
    "right-thumb", "right-index", "right-middle", "right-ring", "right-little",
  ]
  /// How long an enrolment waits for each touch, in seconds.
  static let enrollmentSeconds: Int64 = 120

  /// Takes the print of a finger into the sealed store, after the system password.
  ///
  /// Cancelling the task stops it and releases the reader.
  ///
  /// - Parameters:
  ///   - finger: one of `fingerNames`; nil is `right-index`.
  ///   - prompt: a check passed by password.
  ///   - caller: who asks.
  ///   - report: gets each stage and each bad scan.
  /// - Returns: the finger.
  /// - Throws: `presenceNeeded`, `presenceFailed` where the reader gave no print or the caller is not
  ///   where the reader is, `refused` for one that is enrolled.
  public func enroll(
    _ finger: String?,
    prompt: String?,
    caller: Caller,
    report: @Sendable (EnrollmentEvent) -> Void
  ) async throws(VaultFailure) -> String {
    let finger = finger ?? "right-index"
    guard Self.fingerNames.contains(finger) else {
      throw .invalidArgument(
        "no such finger; use one of \(Self.fingerNames.joined(separator: ", "))"
      )
    }
    guard try !printRows().contains(where: { $0.finger == finger }) else {
      throw .refused("\(finger) is enrolled already")
    }
    try demandRoom()
    // Who sits at the reader would give their touches to it.
    let place = await place(of: caller)
    if let objection = place.objection {
      throw .presenceFailed(
        .notAvailable("a finger is enrolled at the machine itself: \(objection)"),
        methods: []
      )
    }
    let question = PromptQuestion(user: caller.user, purpose: .enroll, account: nil, detail: finger)
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    guard enrollments.isEmpty else { throw .busy("another finger is being enrolled") }
    guard try spend(prompt, question, caller) == .password else {
      throw .presenceFailed(.denied("this needs the system password"), methods: [.password])
    }
    enrollments[caller.connection] = EnrollmentRun(place: place.name)
    defer { enrollments[caller.connection] = nil }
    let taken: (print: SharedSecret, driver: String, device: String)
    do throws(PresenceOutcome) {
      taken = try await takenPrint(of: finger, caller.connection, report)
    } catch {
      throw try enrollmentFailed(finger, error, caller)
    }
    try keep(
      taken.print,
      finger: finger,
      driver: taken.driver,
      device: taken.device,
      caller: caller
    )
    return finger
  }

  private func takenPrint(
    of finger: String,
    _ connection: UInt64,
    _ report: @Sendable (EnrollmentEvent) -> Void
  ) async throws(PresenceOutcome) -> (print: SharedSecret, driver: String, device: String) {
    takingPrints += 1
    defer { takingPrints -= 1 }
    let conversation = try await check.enroll(finger: finger, seconds: Self.enrollmentSeconds)
    // With the caller gone, the next touch would be taken for the wrong person's.
    guard isEnrolling(connection) else {
      await end(conversation)
      throw .cancelled
    }
    enrollments[connection]?.conversation = conversation
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
      case .failed(let outcome): throw outcome
      case .done(let print, let driver, let device): return (print, driver, device)
      default: report(event)
      }
    }
  }

  /// Ends an enrolment, and returns when its helper has released the reader.
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
    enrollments[connection] != nil && !Task.isCancelled
  }

  func printRows() throws(VaultFailure) -> [PrintRow] {
    try stored { () throws(StorageError) in try self.store.prints(owner: self.owner) }
  }

  private func keep(
    _ print: SharedSecret,
    finger: String,
    driver: String,
    device: String,
    caller: Caller
  ) throws(VaultFailure) {
    var row = PrintRow(
      id: try random(16),
      owner: owner,
      finger: finger,
      driver: driver,
      device: device,
      sealed: [],
      enrolledAt: clock.wall.seconds
    )
    let enrolled: EnrolledSet.Member
    do throws(CryptographyError) {
      enrolled = try member(row, print.bytes)
      row.sealed = try SealedBox.sealVerified(
        print.bytes,
        using: deviceSecret,
        context: try printContext(row)
      ).bytes
    } catch {
      throw .unexpected("sealing the print failed: \(error)")
    }
    let sealed = row
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in try self.store.insert(sealed) }
      try self.rebind { $0.insert(enrolled) }
      try self.countBoxChange()
      try self.record(
        AuditEntry(.enrollment, .done, account: nil, caller: caller, detail: finger)
      )
    }
    try raiseMark()
  }

  /// A print opens only for this owner, finger and reader: one copied from another does not.
  func printContext(_ row: PrintRow) throws(CryptographyError) -> BoxContext {
    let separator: [UInt8] = [0]
    return try BoxContext(
      kind: .print,
      vault: identifier,
      owner: row.owner,
      account: row.id,
      protection: .none,
      generation: 0,
      binding: try sha256(
        Array(row.finger.utf8) + separator + Array(row.driver.utf8) + separator
          + Array(row.device.utf8)
      )
    )
  }

  private func enrollmentFailed(
    _ finger: String,
    _ outcome: PresenceOutcome,
    _ caller: Caller
  ) throws(VaultFailure) -> VaultFailure {
    try change { () throws(VaultFailure) in
      try self.record(
        AuditEntry(
          .enrollment,
          .failed,
          account: nil,
          caller: caller,
          detail: "\(finger): \(outcome.auditName)"
        )
      )
    }
    if case .busy(let message) = outcome { return .busy(message) }
    return .presenceFailed(outcome, methods: [])
  }
}
