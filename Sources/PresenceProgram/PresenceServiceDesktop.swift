internal import FingerprintReader
internal import System
internal import VaultInterface

/// The fingers that the desktop's settings have enrolled with fprintd.
extension PresenceService {
  /// Answers which there are: their prints for root, their names for anybody else.
  func listEnrolled() {
    guard renounce() else { return connection.reply(HelperEnrolled(source: .none)) }
    // Where files were left out because they cannot be trusted, fprintd, which reads them too, is
    // not asked instead.
    if let prints = ownDesktopPrints() { return connection.reply(HelperEnrolled(prints)) }
    let inbox = inbox
    let operation = reader.desktopFingers()
    running = .fingers
    work { inbox.put(.fingers(result { () throws(ReaderError) in try operation.wait() })) }
  }

  /// The desktop's prints that take part in a check: those of the digests that the engine knows.
  func desktopPrints(of call: HelperCheckCall) -> [StoredPrint] {
    guard let allowed = call.desktopDigests, !allowed.isEmpty else { return [] }
    return (ownDesktopPrints() ?? []).filter { allowed.contains($0.digest) }
  }

  /// The fingers that fprintd must have for a check through it.
  func desktopFingers(of call: HelperCheckCall) throws(VarlinkError) -> Set<Finger> {
    let names = call.desktopFingers ?? []
    let fingers = Set(names.compactMap(Finger.init(name:)))
    guard fingers.count == names.count else { throw .invalidParameter("desktop_fingers") }
    return fingers
  }

  /// What lies in fprintd's directory for the user of this process; nil for others than root.
  private func ownDesktopPrints() -> [StoredPrint]? {
    guard ThisProcess.user == 0, let desktopPrints, let name = PasswordDialogue.ownName else {
      return nil
    }
    return desktopPrints.prints(of: name)
  }
}
