package import HelperInterface
internal import System
internal import Varlink

/// Sends one request through an exchange helper of the client's own: `thumblatch-exchange` as its
/// child.
///
/// The service sends no requests to APIs for its callers. The client does that itself with its
/// access token, in a separate process that has no other data.
package struct RequestExchangeHelper: Sendable {
  private static let program = "thumblatch-exchange"

  private let interrupt: Int32?

  /// Makes a sender that gives up when `interrupt` becomes readable.
  package init(interrupt: Int32? = nil) {
    self.interrupt = interrupt
  }

  /// Sends the request.
  ///
  /// Its body is all of `input`, and the answer's body is written to `output`.
  ///
  /// - Throws: `interrupted`, `exchangeHelperMissing` if the program is not installed.
  package func perform(
    _ call: HelperRequestCall,
    input: Int32?,
    output: Int32
  ) throws(VaultClientError) -> HelperRequestReply {
    let path: String
    do {
      path = try InstalledProgram(forApp: Self.program).path
    } catch {
      throw .exchangeHelperMissing(reason: "\(error)")
    }
    let pair: (ours: Int32, theirs: Int32)
    do { pair = try UnixSocket.pair() } catch { throw .system(error) }
    let socket = Descriptor(owning: pair.ours)
    let other = Descriptor(owning: pair.theirs)
    let child: ChildProcess
    do throws(SystemError) {
      child = try ChildProcess(
        path: path,
        arguments: [],
        environment: InstalledProgram.environment,
        descriptors: [other.number, -1, -1, output, input ?? -1],
        newSession: true
      )
    } catch {
      throw .system(error)
    }
    // If this process kept the other end open, it would never see that a helper died.
    _ = consume other
    // The helper holds no slot, so it may be ended when the answer is no longer wanted.
    defer { child.finish(withinMilliseconds: 0) }
    let reply: VarlinkReply
    do throws(ConversationError) {
      try socket.send(VarlinkCall(call).encoded(on: .helper))
      var buffer = MessageBuffer(.helper)
      let deadline = BootInstant.now.advanced(bySeconds: Int64(call.timeout / 1000 + 15))
      reply = try buffer.nextReply(from: socket, interrupt: interrupt, until: deadline)
    } catch {
      throw VaultClientError(error)
    }
    return try Connection.result(of: reply, to: HelperRequestCall.self)
  }
}
