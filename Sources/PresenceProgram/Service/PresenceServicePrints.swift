internal import FingerprintReader
internal import HelperInterface
internal import PresenceTerms
internal import Varlink

/// The prints that the engine sends, and the ones that the reader enrolls and deletes.
extension PresenceService {
  /// The most prints that one connection may send: those of ten fingers, and former ones.
  private static let mostPrints = 32

  /// Stores a print for the next operation.
  func load(_ call: LoadPrintCall) throws(VarlinkError) {
    guard let finger = Finger(name: call.finger), prints.count + former.count < Self.mostPrints
    else {
      throw .invalidParameter("finger")
    }
    do throws(PrintFlaw) {
      let print = try StoredPrint(call.print, finger: finger)
      if call.former { former.append(print) } else { prints.append(print) }
    } catch {
      throw .invalidParameter("print")
    }
    connection.reply(EmptyReply())
  }

  func begin(_ call: HelperEnrollCall, more: Bool) throws(VarlinkError) {
    guard more else { throw .expectedMore }
    guard let finger = Finger(name: call.finger) else { throw .invalidParameter("finger") }
    guard (1...600_000).contains(call.timeout) else { throw .invalidParameter("timeout") }
    stage = 0
    stages = 0
    guard renounce() else {
      return reply(.failed(.notAvailable, detail: "privileges could not be given up"))
    }
    let inbox = inbox
    mustKeep = call.keep
    let operation = reader.enroll(
      finger,
      own: prints,
      former: former,
      milliseconds: call.timeout,
      report: { inbox.put(.enroll($0)) },
      seen: { inbox.put(.seen($0)) }
    )
    running = .enrollment(operation)
    work { inbox.put(.enrolled(Result { () throws(ReaderError) in try operation.wait() })) }
  }

  func begin(_ call: HelperDeletePrintsCall) throws(VarlinkError) {
    guard (1...600_000).contains(call.timeout) else { throw .invalidParameter("timeout") }
    guard renounce() else {
      let reason = "privileges could not be given up"
      let left = HelperDeletions(prints: former.map { _ in .left }, detail: reason)
      return connection.reply(left)
    }
    let inbox = inbox
    let operation = reader.delete(former, milliseconds: call.timeout)
    running = .deletion(operation)
    work { inbox.put(.deleted(Result { () throws(ReaderError) in try operation.wait() })) }
  }

  /// Records a finished enrollment.
  func finish(_ print: StoredPrint) {
    if mustKeep { unkept = print }
  }
}
