import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// The engine's side of a conversation with `thumblatch-presence`.
final class PresenceClient {
  struct Closed: Error {}

  let child: ChildProcess
  private var socket: Descriptor
  private var buffer = MessageBuffer(.helper)

  /// Starts a program with one end of a socket as descriptor 0, with `launcher` in front of it if
  /// given.
  init(_ program: String, environment: [String] = [], launcher: [String] = []) throws {
    let (ours, theirs) = try UnixSocket.pair()
    socket = Descriptor(owning: ours)
    let far = Descriptor(owning: theirs)
    let command = launcher + [program]
    child = try ChildProcess(
      path: command[0],
      arguments: Array(command.dropFirst()),
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]
        + environment,
      descriptors: [far.number, -1, -1]
    )
  }

  /// Starts the service's program on a connection that already has waiting calls.
  init(
    serving far: borrowing Descriptor,
    of engine: String,
    program: String,
    ours: consuming Descriptor
  ) throws {
    socket = ours
    child = try ChildProcess(
      path: program,
      arguments: ["--service", "--engine", engine],
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"],
      descriptors: [far.number, -1, -1]
    )
  }

  func send<Method: VarlinkMethod>(_ call: Method, more: Bool = false) throws {
    try Self.send(call, more: more, on: socket)
  }

  /// Sends a call; a given descriptor goes with its first byte.
  static func send<Method: VarlinkMethod>(
    _ call: Method,
    more: Bool = false,
    on socket: borrowing Descriptor,
    passing descriptor: Int32 = -1
  ) throws {
    let message = try VarlinkCall(call, more: more).encoded(on: .helper)
    unsafe try message.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
        done += unsafe try socket.send(rest, passing: done == 0 ? descriptor : -1) ?? 0
      }
    }
  }

  /// The next reply to a call.
  ///
  /// Throws `Closed` if the other side has ended.
  func next<Method: VarlinkMethod>(_ method: Method.Type) throws -> Method.Reply {
    while true {
      if let reply = try buffer.nextReply() { return try reply.result(of: method) }
      guard try socket.waitReadable(milliseconds: 60_000) else { throw Closed() }
      let count = unsafe try buffer.receive { room throws(SystemError) in
        unsafe try socket.receive(into: room)?.count ?? 0
      }
      guard (count ?? 0) > 0 else { throw Closed() }
    }
  }

  /// Whether data comes within a time.
  func hasReply(withinMilliseconds limit: Int32) throws -> Bool {
    try socket.waitReadable(milliseconds: limit)
  }

  func call<Method: VarlinkMethod>(_ call: Method) throws -> Method.Reply {
    try send(call)
    return try next(Method.self)
  }

  /// Arms the reader for these prints and those of the desktop, and waits until it is armed.
  func arm(
    _ prints: [(String, SharedSecret)] = [],
    digests: [[UInt8]]? = nil,
    fingers: [String]? = nil,
    timeout: Int = 60_000
  ) throws {
    for (finger, print) in prints { _ = try call(LoadPrintCall(finger: finger, print: print)) }
    let check = HelperCheckCall(
      presenceMethod: .fingerprint,
      timeout: timeout,
      desktopDigests: digests,
      desktopFingers: fingers
    )
    try send(check, more: true)
    guard case .ready = try event() else {
      Issue.record("not armed")
      throw Closed()
    }
  }

  /// The next event of a check, except `waiting`.
  func event() throws -> HelperCheckEvent {
    while true {
      let event = try next(HelperCheckCall.self)
      if event != .waiting { return event }
    }
  }

  /// Answers a question, and returns the resulting event.
  func respond(_ text: String) throws -> HelperCheckEvent {
    try call(HelperRespondCall(text: SharedSecret(try SecretBytes(copying: Array(text.utf8)))))
  }

  /// Closes the sending direction.
  ///
  /// The program's output can still be read.
  func hangUp() { socket.shutDownSending() }

  /// Closes this side.
  func close() { socket = Descriptor(owning: -1) }

  func end() throws -> ProcessEnd {
    close()
    return try child.wait()
  }

  /// A line of /proc/PID/status, such as `NoNewPrivs`.
  func status(_ name: String) throws -> String? {
    let directory = try Directory(path: "/proc/\(child.identifier)")
    let text = String(
      decoding: try directory.openForReading("status").readAll(limit: 65536),
      as: UTF8.self
    )
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      return String(line.dropFirst(name.count + 1).drop { $0 == "\t" || $0 == " " })
    }
    return nil
  }
}

/// Enrols a name through the program.
func enroll(
  _ name: String,
  _ finger: String,
  on reader: VirtualReader,
  _ client: PresenceClient
)
  throws -> SharedSecret
{
  try client.send(HelperEnrollCall(finger: finger, timeout: 60_000), more: true)
  var touches = 0
  while true {
    let reply = try client.next(HelperEnrollCall.self)
    switch reply.event {
    case .ready, .stage:
      #expect(reply.stage == touches)
      #expect(reply.stages == 5)
      if touches < 5 { try reader.send("SCAN \(name)") }
      touches += 1
    case .waiting, .removed: continue
    case .done(let print, let driver, _):
      #expect(driver.hasPrefix("virtual_device"))
      return print
    case .retry, .failed:
      Issue.record("\(reply.event)")
      throw PresenceClient.Closed()
    }
  }
}
