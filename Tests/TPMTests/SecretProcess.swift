import Glibc
import HelperInterface
import MachineKey
import SecretMemory
import System
import TestSupport
import Varlink

/// A running `thumblatch-secret`, and the engine's end of its socket.
final class SecretProcess {
  let child: ChildProcess
  private let socket: Descriptor
  private let output: Descriptor
  private var buffer = MessageBuffer(.helper)
  private var hasEnded = false

  /// Starts the program for a device, through other programs if some are named.
  ///
  /// `call` is the last call of an engine that is gone when the program starts.
  init(
    device: String?,
    leaving call: IncrementCounterCall? = nil,
    through wrapper: [String] = [],
    arguments: [String] = [],
    environment: [String] = []
  ) throws {
    let (near, far) = try UnixSocket.pair()
    let theirs = Descriptor(owning: far)
    let (outputNear, outputFar) = try UnixSocket.pair()
    let theirOutput = Descriptor(owning: outputFar)
    socket = Descriptor(owning: near)
    output = Descriptor(owning: outputNear)
    if let call {
      try socket.send(VarlinkCall(call).encoded(on: .helper))
      socket.shutDownSending()
    }
    child = try ChildProcess(
      path: "/usr/bin/unshare",
      arguments: DeviceDirectory.arguments(
        device,
        wrapper + [BuiltPrograms.path("thumblatch-secret")] + arguments
      ),
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + environment,
      descriptors: [theirs.number, theirOutput.number, theirOutput.number]
    )
  }

  // An ended child that was not waited for blocks the exit tests of the whole run.
  deinit {
    guard !hasEnded else { return }
    child.kill()
    _ = try? child.wait()
  }

  func send(_ call: some VarlinkMethod) throws {
    try socket.send(VarlinkCall(call).encoded(on: .helper))
  }

  func send(_ text: String) throws { try socket.write(Array(text.utf8) + [0]) }

  /// Waits for no more answers, like an engine that no longer waits.
  func leave() { socket.shutDownSending() }

  /// The next reply; `nil` at the end of the conversation.
  func reply() throws -> VarlinkReply? {
    do throws(ConversationError) {
      return try buffer.nextReply(from: socket, until: BootInstant.now.advanced(bySeconds: 60))
    } catch {
      guard error == .ended else { throw error }
      return nil
    }
  }

  /// Sends a call, and returns its reply.
  func ask<Method: VarlinkMethod>(_ call: Method) throws -> Method.Reply? {
    try send(call)
    return try reply()?.result(of: Method.self)
  }

  /// Waits for the end, and returns all output.
  func end() throws -> (ProcessEnd, printed: String) {
    let end = try child.wait()
    hasEnded = true
    return (end, String(decoding: try output.readAll(limit: 1 << 20), as: UTF8.self))
  }
}

extension OpenSecretCall {
  init(_ sealed: TPMSealedSecret, authorization: SharedSecret) {
    self.init(
      parentName: sealed.parentName,
      privatePart: sealed.privatePart,
      publicPart: sealed.publicPart,
      authorization: authorization
    )
  }
}
