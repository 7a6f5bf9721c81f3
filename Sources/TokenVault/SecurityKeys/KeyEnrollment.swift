internal import AuditLog
internal import Presence
internal import PresenceTerms
package import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// The most security keys of one user.
  package static let mostKeys = 16
  /// The most characters of the name of a security key.
  package static let longestKeyName = 64

  /// The enrolled security keys, in the order of enrollment.
  package func keyFacts() throws(VaultFailure) -> [KeyFacts] {
    try keyRows().map { KeyFacts(name: $0.name, enrolledAt: $0.enrolledAt) }
  }

  /// Enrolls the only security key that is plugged in; needs the system password.
  ///
  /// Cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - name: the name for it, of 1 to 64 printable characters.
  ///   - pin: its PIN, in UTF-8; `nil` if it is only touched.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that asks.
  ///   - lit: called when the key waits for its touch.
  /// - Throws: `presenceNeeded`; `presenceFailed` if the key made no credential or the caller is
  ///   not at the machine; `refused` for a name that is taken, or if there are too many keys.
  package func enrollKey(
    _ name: String,
    pin: SharedSecret?,
    prompt: String?,
    caller: Caller,
    lit: @Sendable () -> Void
  ) async throws(VaultFailure) {
    try await demandEnrollableKey(name, caller)
    let question = caller.question(.enroll, detail: "the security key '\(name)'")
    try await spendPassword(for: question, by: prompt, caller)
    discardProofs()
    // A record that does not open must not keep another key from being enrolled.
    let known = (try? enrolledKeys().map(\.credential)) ?? []
    let making = KeyMaking(
      credentials: known,
      challenge: try random(32),
      user: try random(32),
      name: name,
      pin: pin,
      seconds: Self.checkSeconds
    )
    let key: EnrolledKey
    do throws(PresenceFailure) {
      key = try await madeKey(making, caller, lit)
    } catch {
      try change {
        try record(.keyEnrollment, .failed, by: caller, detail: "\(name): \(error.auditText)")
      }
      throw error.outcome == .busy
        ? .busy(error.detail) : .presenceFailed(error, methods: [])
    }
    try await demandEnrollableKey(name, caller)
    var row = SecurityKeyRow(
      id: try random(16),
      owner: owner,
      name: name,
      sealed: [],
      enrolledAt: clock.wall.seconds
    )
    row.sealed = try box(of: key, row)
    try changeSealed {
      try store.insert(row)
      try recordByPassword(.keyEnrollment, by: caller, detail: name)
    }
  }

  /// Removes a security key; needs the system password.
  ///
  /// The key itself stores nothing of it.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that asks.
  /// - Returns: the remaining keys.
  /// - Throws: `noSuchKey`; `presenceNeeded`, `presenceFailed`.
  package func removeKey(
    _ name: String,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> [KeyFacts] {
    guard try keyRows().contains(where: { $0.name == name }) else {
      if let prompt { cancel(prompt, caller: caller) }
      throw .noSuchKey(name)
    }
    let question = caller.question(.deleteFinger, detail: "the security key '\(name)'")
    try await spendPassword(for: question, by: prompt, caller)
    // A check that runs holds the keys of its beginning.
    discardProofs()
    guard let row = try keyRows().first(where: { $0.name == name }) else { throw .noSuchKey(name) }
    try changeSealed {
      try store.deleteSecurityKey(id: row.id)
      try recordByPassword(.keyRemoval, by: caller, detail: name)
    }
    return try keyFacts()
  }

  private func demandEnrollableKey(_ name: String, _ caller: Caller) async throws(VaultFailure) {
    guard (1...Self.longestKeyName).contains(name.unicodeScalars.count),
      name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw .invalidArgument(
        "the name of a security key has 1 to \(Self.longestKeyName) printable characters"
      )
    }
    let rows = try keyRows()
    guard !rows.contains(where: { $0.name == name }) else {
      throw .refused("a security key '\(name)' is enrolled already: use another name")
    }
    guard rows.count < Self.mostKeys else {
      throw .refused("\(Self.mostKeys) security keys are enrolled: remove one first")
    }
    try demandRoom()
    if let objection = await location(of: caller).objection {
      throw .presenceFailed(
        .notAvailable("a security key is enrolled at the machine itself: \(objection)"),
        methods: []
      )
    }
  }

  /// Has a helper make a credential.
  private func madeKey(
    _ making: KeyMaking,
    _ caller: Caller,
    _ lit: @Sendable () -> Void
  ) async throws(PresenceFailure) -> EnrolledKey {
    let conversation = try await check.start(.newKey(making), of: caller)
    while true {
      let event = await withTaskCancellationHandler {
        await conversation.next()
      } onCancel: {
        conversation.cancel()
      }
      switch event {
      case .made(let credential, let publicKey):
        guard (1...EnrolledKey.mostCredential).contains(credential.count),
          publicKey.count == EnrolledKey.publicKeyCount
        else { throw .notAvailable("the security key made no usable credential") }
        return EnrolledKey(name: making.name, credential: credential, publicKey: publicKey)
      case .ready: lit()
      case .reader, .waiting, .retry: continue
      case .failed(let failure): throw failure
      case .lost(let reason):
        throw Task.isCancelled ? .cancelled : .notAvailable(reason)
      // No enrollment of a key asks or passes a check.
      case .ask, .says, .matched, .touched:
        conversation.cancel()
        throw .notAvailable("the presence program gave an answer that makes no sense")
      }
    }
  }
}
