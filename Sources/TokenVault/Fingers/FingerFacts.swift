internal import AuditLog
internal import Presence
internal import PresenceTerms
internal import Storage

/// The fingers that can pass a check, as `status` shows them.
package struct FingerFacts: Sendable, Equatable {
  /// The names of those enrolled here.
  package let fingers: [String]
  /// The names of the desktop's; those enrolled here as well are among them.
  package let desktop: [String]
  /// How the desktop's can be seen; `nil` if there are none.
  package let source: DesktopFingers.Source?
  /// Why no finger counts now from the caller's location, although some are enrolled; `nil` if they
  /// count.
  package let reason: String?
}

extension Vault {
  /// The enrolled fingers, here and on the desktop.
  ///
  /// It starts a helper to ask the desktop, but no program of the desktop.
  package func fingers(of caller: Caller) async throws(VaultFailure) -> FingerFacts {
    let eligibility = try await fingerEligibilityAtRest(for: caller)
    return FingerFacts(
      fingers: try printRows().map(\.finger).sorted(),
      desktop: Set(eligibility.desktop?.fingers.map(\.name) ?? []).sorted(),
      source: eligibility.desktop?.source,
      reason: reason(for: .test, eligibility, at: await location(of: caller))
    )
  }

  /// Removes a finger that was enrolled here; needs the system password.
  ///
  /// The bytes of the print in the store and in its write-ahead log are overwritten. A reader that
  /// stores prints deletes the print first. If it cannot, the sealed print is kept until an
  /// enrollment on that reader deletes it there. A print whose box does not open cannot be named to
  /// a reader, and is not kept.
  ///
  /// - Parameters:
  ///   - finger: its name.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that asks.
  /// - Returns: the remaining fingers, and why the reader may still have the print.
  /// - Throws: `noSuchFinger`; `refused` for a finger of the desktop; `presenceNeeded`,
  ///   `presenceFailed`.
  package func delete(
    finger: String,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (fingers: [String], onReader: String?) {
    guard try printRow(of: finger) != nil else {
      if let prompt { cancel(prompt, caller: caller) }
      let desktop: [DesktopFinger]
      do throws(PresenceFailure) {
        // No check has been passed: not every caller may start the desktop's program, which looks
        // for readers.
        desktop = try await desktopAtRest(of: caller)?.fingers ?? []
      } catch {
        throw .presenceFailed(error, methods: [])
      }
      guard desktop.contains(where: { $0.name == finger }) else { throw .noSuchFinger(finger) }
      throw .refused(
        "\(finger) is not enrolled here but in the desktop's settings: remove it there"
      )
    }
    let question = caller.question(.deleteFinger, detail: finger)
    try await spendPassword(for: question, by: prompt, caller)
    discardProofs()
    guard let enrolled = try printRow(of: finger) else { throw .noSuchFinger(finger) }
    let print = opened(enrolled)
    let deletion = await deletion(of: print)
    guard let row = try printRow(of: finger), row.id == enrolled.id else {
      throw .noSuchFinger(finger)
    }
    // Another prompt may have been armed while the reader deleted it.
    discardProofs()
    try changeSealed(emptiesLog: true) {
      try store.deletePrint(id: row.id)
      if case .left = deletion, let print { try keepFormer(row, print) }
      try rebind { $0.remove(own: finger) }
      try recordByPassword(.fingerDeletion, by: caller, detail: finger)
    }
    var onReader: String?
    if case .left(let why) = deletion { onReader = why }
    return (try printRows().map(\.finger).sorted(), onReader)
  }

  private func printRow(of finger: String) throws(VaultFailure) -> PrintRow? {
    try printRows().first { $0.finger == finger }
  }
}
