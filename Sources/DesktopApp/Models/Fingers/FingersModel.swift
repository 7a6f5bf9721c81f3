internal import GTK
internal import Observation
internal import PlainText
internal import PresenceTerms
internal import System
internal import VaultClient
internal import VaultInterface

/// The enrolled fingers on the screen, and the enrollment that runs.
@Observable
@MainActor
final class FingersModel {
  /// How long the engine may take for the next touch of an enrollment, in seconds.
  nonisolated private static let touchLimit: Int64 = 125

  /// What the vault told of the fingers last; `nil` before the first look.
  var facts: ListFingersReply? { seen.reply }
  /// The enrollment that runs.
  private(set) var enrollment: Enrollment?
  /// Why the person's last act did not work, or else the last look.
  var trouble: Trouble? { actTrouble ?? seen.trouble }
  private var actTrouble: Trouble?

  @ObservationIgnored
  private let vault: VaultModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let seen: VaultLook<ListFingersReply>
  @ObservationIgnored
  private var stop: SharedWake?
  @ObservationIgnored
  private let deletions = CallQueue()

  init(_ link: VaultLink?, of vault: VaultModel) {
    (self.link, self.vault) = (link, vault)
    seen = VaultLook(link) { connection throws(VaultClientError) in
      try connection.call(ListFingersCall())
    }
  }

  /// Reads the fingers again.
  func look() async { await seen.again() }

  // MARK: Enrolling

  /// Enrolls a finger: asks for the system password, then for its touches.
  func enroll(_ finger: String) async {
    guard let link, enrollment == nil else { return }
    (enrollment, actTrouble) = (Enrollment(finger: finger), nil)
    let (replies, next) = AsyncStream<EnrollFingerReply>.makeStream()
    let shows = Task {
      for await reply in replies { enrollment?.take(reply) }
    }
    do throws(VaultClientError) {
      let stop = try SharedWake.made()
      self.stop = stop
      try await link.call(again: .untilPrompted, interrupt: stop) {
        connection,
        prompt throws(VaultClientError) in
        let call = EnrollFingerCall(finger: finger, prompt: prompt, ask: true)
        try connection.stream(call, within: Self.touchLimit) { next.yield($0) }
      }
      vault.news = tr("Finger enrolled")
    } catch {
      if case .interrupted = error {} else { actTrouble = Trouble(error) }
    }
    next.finish()
    await shows.value
    (enrollment, stop) = (nil, nil)
    await look()
  }

  /// Ends the enrollment that runs.
  ///
  /// Its connection closes, so the engine releases the reader.
  func cancel() { stop?.event.signal() }

  // MARK: Deleting

  /// Deletes a finger after a check by the system password.
  func delete(_ finger: String) async {
    actTrouble = nil
    await deletions.run(at: vault) { await deleteNow(finger) }
  }

  private func deleteNow(_ finger: String) async {
    guard let link else { return }
    do throws(VaultClientError) {
      let reply = try await link.call(again: .untilPrompted) {
        connection,
        prompt throws(VaultClientError) in
        try connection.call(DeleteFingerCall(finger: finger, prompt: prompt, ask: true))
      }
      vault.news = tr("Finger deleted")
      actTrouble = reply.onReader.map(Self.leftOnReader)
    } catch {
      actTrouble = Trouble(error)
    }
    await look()
  }

  static func leftOnReader(_ reason: String) -> Trouble {
    Trouble(
      tr(
        "the reader may still store the print (%s)",
        FindingWords.clause(PlainText.line(reason, limit: 300))
      ),
      advice: tr(
        "the next enrollment on that reader deletes it there, unless the print is damaged"
      )
    )
  }
}
