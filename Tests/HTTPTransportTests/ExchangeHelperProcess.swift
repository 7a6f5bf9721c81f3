import Cryptography
import HelperInterface
import SecretMemory
import System
import TestSupport
import Varlink

/// A running `thumblatch-exchange`, and the engine's end of its socket.
final class ExchangeHelperProcess {
  let child: ChildProcess
  private var socket: Descriptor?
  private let output: Descriptor
  private var buffer = MessageBuffer(.helper)
  private var hasEnded = false

  /// Starts an exchange helper.
  ///
  /// With `inside` it starts after these shell commands, in its own network namespace.
  init(
    _ program: String = BuiltPrograms.path("thumblatch-exchange"),
    arguments: [String] = [],
    environment: [String] = [],
    inside commands: String? = nil
  ) throws {
    let (near, far) = try UnixSocket.pair()
    let theirs = Descriptor(owning: far)
    let (outputNear, outputFar) = try UnixSocket.pair()
    let theirOutput = Descriptor(owning: outputFar)
    socket = Descriptor(owning: near)
    output = Descriptor(owning: outputNear)
    let program = [program] + arguments
    let whole =
      commands.map {
        ["/usr/bin/unshare", "--net", "/bin/sh", "-ec", $0 + "\nexec \"$0\" \"$@\""] + program
      } ?? program
    child = try ChildProcess(
      path: whole[0],
      arguments: Array(whole.dropFirst()),
      environment: environment,
      descriptors: [theirs.number, theirOutput.number, theirOutput.number]
    )
  }

  func send(
    _ call: some VarlinkMethod,
    more: Bool = false,
    oneway: Bool = false,
    slot: Int32 = -1
  ) throws {
    let message = try VarlinkCall(call, more: more, oneway: oneway).encoded(on: .helper)
    unsafe try message.withUnsafeBytes { bytes in unsafe try send(bytes, slot: slot) }
  }

  func send(_ bytes: UnsafeRawBufferPointer, slot: Int32 = -1) throws {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let passed = done == 0 ? slot : -1
      guard let sent = unsafe try socket?.send(rest, passing: passed) else { return }
      done += sent
    }
  }

  /// The next reply, or `nil` once the exchange helper has ended.
  func reply() throws -> VarlinkReply? {
    while true {
      if let reply = try buffer.nextReply() { return reply }
      let count = unsafe try buffer.receive { room in
        unsafe try socket?.receive(into: room)?.count ?? 0
      }
      guard let count, count > 0 else { return nil }
    }
  }

  func exchangeReply() throws -> ExchangeReply? {
    try reply()?.result(of: ExchangeCall.self)
  }

  /// Sends a call that needs nothing, and returns whether there was an answer.
  func greet() throws -> Bool {
    let message = try VarlinkCall(GetInfoCall()).encoded(on: .helper)
    unsafe try message.withUnsafeBytes { unsafe try send($0) }
    return try reply() != nil
  }

  /// Closes the socket, as the kernel does for a killed engine.
  func close() {
    socket = nil
  }

  /// Waits for the end, and returns all output.
  func end() throws -> (ProcessEnd, printed: [UInt8]) {
    let end = try child.wait()
    hasEnded = true
    return (end, try output.readAll(limit: 1 << 20))
  }

  // An ended child that was not waited for blocks the exit tests of the whole run.
  deinit {
    guard !hasEnded else { return }
    child.kill()
    _ = try? child.wait()
  }
}

/// A slot as the engine makes it, in a directory that is removed with it.
final class TestSlot {
  var path: String { directory.path + "/slot" }
  let key: SharedSecret
  let context: BoxContext
  private let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    try directory.open().create("slot").write([UInt8](repeating: 0, count: 65_536))
    key = SharedSecret(try SecretBytes.random(count: 32))
    context = try BoxContext(
      kind: .answer,
      vault: [UInt8](repeating: 1, count: 16),
      owner: ThisProcess.user,
      account: [UInt8](repeating: 2, count: 16),
      protection: .none,
      generation: 3,
      binding: [UInt8](repeating: 4, count: 32)
    )
  }

  /// A new descriptor, which can lock only if no other process has the lock.
  func open() throws -> Descriptor { try directory.open().openForWriting("slot") }

  func openReadOnly() throws -> Descriptor { try directory.open().openForReading("slot") }

  func contents() throws -> [UInt8] { try openReadOnly().readAll(limit: 65_536) }

  func outcome(in bytes: [UInt8]) throws -> ExchangeOutcome {
    try SlotImage.open(bytes, using: try SealingKey(try key.bytes.copy()), context: context)
  }

  func outcome() throws -> ExchangeOutcome { try outcome(in: try contents()) }
}
