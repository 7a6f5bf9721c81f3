internal import FingerprintReader
internal import HelperInterface
internal import System
internal import UserNames
internal import Varlink

/// The fingers that the desktop's settings have enrolled with fprintd.
extension PresenceService {
  /// Replies with the enrolled fingers: their prints for root, only their names for any other user.
  func listEnrolled(of subject: UInt32?, starting: Bool) {
    guard let subject, renounce() else { return connection.reply(HelperEnrolled(source: .unknown)) }
    // If untrusted files were left out, do not ask fprintd instead: it reads them too.
    if let prints = desktopPrints(of: subject) { return connection.reply(HelperEnrolled(prints)) }
    let (inbox, reader) = (inbox, reader)
    running = .fingers
    work {
      inbox.put(
        .fingers(Result { () throws(ReaderError) in try reader.desktopFingers(starting: starting) })
      )
    }
  }

  /// The desktop's prints for a check; `nil` if their digests are not exactly those that the engine
  /// knows.
  func desktopPrints(of call: HelperCheckCall, _ subject: UInt32) -> [StoredPrint]? {
    guard let known = call.desktopDigests else { return [] }
    let prints = desktopPrints(of: subject) ?? []
    return Set(prints.map(\.digest)) == Set(known) ? prints : nil
  }

  /// The fingers that fprintd must have for a check through it.
  func desktopFingers(of call: HelperCheckCall) throws(VarlinkError) -> Set<Finger> {
    let names = call.desktopFingers ?? []
    let fingers = Set(names.compactMap(Finger.init(name:)))
    guard fingers.count == names.count else { throw .invalidParameter("desktop_fingers") }
    return fingers
  }

  /// The prints in fprintd's directory for a user; `nil` if this process is not root's.
  private func desktopPrints(of user: UInt32) -> [StoredPrint]? {
    guard ThisProcess.user == 0, let desktopPrints, let name = UserNames.name(of: user) else {
      return nil
    }
    return desktopPrints.prints(of: name)
  }
}
