internal import Glibc
internal import System

/// Requests a token with one call over an engine's socket.
///
/// Only a token that is available at once is used. Everything else is left to the command-line
/// program, which asks the engine again: an error, a prompt, a slow provider, or doubt about the
/// server. The engine opens no prompt for this call, because the person would not see it.
enum EngineToken {
  /// The time limit of the engine for each step, in milliseconds.
  ///
  /// A provider may take longer; the command-line program reports that.
  private static let stepLimit: Int64 = 1000
  /// The same for a helper, whose tool may give up after some seconds.
  private static let helperLimit: Int64 = 250
  /// The longest message of the interface.
  private static let maximumMessage = 65_536

  /// Writes a token of the service.
  ///
  /// The directory of the socket belongs to root, so only root could have put a socket in it.
  static func answerByService(_ request: TokenRequest) -> TokenRequest.Outcome {
    guard let (path, user) = service else { return .notKnown }
    return answer(request, at: path, user: user)
  }

  /// The path of the service's socket, and its user; `nil` if others than root could have put it
  /// there.
  static var service: (path: SocketPath, user: uid_t)? {
    var status = stat()
    guard unsafe lstat(word("/run/thumblatch"), &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == 0 || FileOwner(at: "/run/thumblatch") == .root, status.st_mode & 0o022 == 0
    else { return nil }
    var path = SocketPath()
    path.add("/run/thumblatch/io.thumblatch.Vault")
    // A sandbox shows the directory's owner and the listener as the same user.
    return (path, status.st_uid)
  }

  /// Writes a token of the private engine, if one runs.
  static func answerByPrivateEngine(
    _ request: TokenRequest,
    _ state: borrowing StateFiles
  ) -> TokenRequest.Outcome {
    answer(request, at: path(of: state), user: geteuid())
  }

  /// The path of the private engine's socket.
  static func path(of state: borrowing StateFiles) -> SocketPath {
    var path = SocketPath()
    path.add("/proc/self/fd/")
    path.add(UInt64(state.directory))
    path.add("/engine")
    return path
  }

  /// Sends calls together, and lends their replies, each with its NUL; `nil` if they are late.
  static func ask<Value>(
    _ calls: [UInt8],
    replies: Int,
    at path: SocketPath,
    user: uid_t,
    _ body: (UnsafeRawBufferPointer) -> Value?
  ) -> Value? {
    guard let socket = connect(to: path, user: user, stepLimit),
      unsafe calls.withUnsafeBytes({ unsafe send($0, to: socket) })
    else { return nil }
    return unsafe withUnsafeTemporaryAllocation(byteCount: maximumMessage, alignment: 1) { room in
      guard let count = unsafe receive(from: socket, into: room, stepLimit, replies: replies) else {
        return nil
      }
      return unsafe body(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
  }

  private static func answer(
    _ request: TokenRequest,
    at path: SocketPath,
    user: uid_t
  ) -> TokenRequest.Outcome {
    let stepLimit = request.isHelper ? helperLimit : stepLimit
    guard let socket = connect(to: path, user: user, stepLimit) else { return .notKnown }
    return unsafe withUnsafeTemporaryAllocation(byteCount: maximumMessage, alignment: 1) { room in
      let count = unsafe call(request, into: room)
      guard unsafe send(UnsafeRawBufferPointer(rebasing: room[..<count]), to: socket),
        let reply = unsafe receive(from: socket, into: room, stepLimit)
      else { return .notKnown }
      return unsafe show(UnsafeMutableRawBufferPointer(rebasing: room[..<reply]), request)
    }
  }

  /// Connects, and checks the server before it sends a byte.
  ///
  /// The listener must be the vault's user, as the credentials show (unix(7), SO_PEERCRED: "the
  /// credentials ... that were in effect at the time of the call to listen(2)").
  private static func connect(
    to path: SocketPath,
    user: uid_t,
    _ stepLimit: Int64
  ) -> Descriptor? {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return nil }
    let socket = Descriptor(owning: number)
    // If a standard descriptor was closed at the start, output would go to the engine.
    guard number > 2 else { return nil }
    // socket(7): the limits also apply to connect(2), which waits while a server's queue is full.
    var limit = timeval(
      tv_sec: Int(stepLimit / 1000),
      tv_usec: Int(stepLimit % 1000 * 1000)
    )
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) == 0,
      unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0,
      path.connect(number), let peer = try? socket.peerCredentials(), peer.user == user
    else { return nil }
    return socket
  }

  /// Writes the call with its NUL; the name was checked and needs no escaping.
  private static func call(
    _ request: TokenRequest,
    into room: UnsafeMutableRawBufferPointer
  ) -> Int {
    var count = 0
    func add(_ text: StaticString) {
      for index in 0..<text.utf8CodeUnitCount {
        unsafe room[count] = unsafe text.utf8Start[index]
        count += 1
      }
    }
    add(#"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"#)
    if let name = unsafe request.name {
      add(#""account":""#)
      let length = unsafe strnlen(name, 64)
      for index in 0..<length {
        unsafe room[count] = unsafe UInt8(bitPattern: name[index])
        count += 1
      }
      add(#"","#)
    }
    if let lifetime = request.minimumLifetime {
      add(#""minimum_lifetime":"#)
      Decimal.write(UInt64(lifetime)) { digit in
        unsafe room[count] = digit
        count += 1
      }
      add(",")
    }
    // The members in the order of the generated type.
    add(#""ask":false"#)
    if let reason = request.reason {
      add(#","reason":""#)
      for byte in reason.utf8 {
        unsafe room[count] = byte
        count += 1
      }
      add("\"")
    }
    if request.isHelper { add(#","helper":true"#) }
    add("}}")
    unsafe room[count] = 0
    return count + 1
  }

  private static func send(_ bytes: UnsafeRawBufferPointer, to socket: borrowing Descriptor) -> Bool
  {
    // The message is far shorter than what a socket takes at once.
    unsafe ((try? socket.send(bytes)) ?? nil) == bytes.count
  }

  /// Receives messages, each of which ends with NUL; `nil` if they are late or invalid.
  private static func receive(
    from socket: borrowing Descriptor,
    into room: UnsafeMutableRawBufferPointer,
    _ stepLimit: Int64,
    replies: Int = 1
  ) -> Int? {
    let begun = BootInstant.now
    var count = 0
    while count < room.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
      // EAGAIN means that the time has passed. A passed descriptor would be closed on exec.
      let got = unsafe recv(socket.number, rest.baseAddress, rest.count, 0)
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      count += got
      if unsafe room[count - 1] == 0 && ends(in: room[..<count], are: replies) { return count }
      guard (BootInstant.now.nanoseconds - begun.nanoseconds) / 1_000_000 < stepLimit else {
        return nil
      }
    }
    return nil
  }

  private static func ends(
    in bytes: Slice<UnsafeMutableRawBufferPointer>,
    are replies: Int
  ) -> Bool {
    unsafe replies == 1 || bytes.count { $0 == 0 } >= replies
  }

  /// Writes the token of a reply, and a note about missing scopes.
  private static func show(
    _ reply: UnsafeMutableRawBufferPointer,
    _ request: TokenRequest
  ) -> TokenRequest.Outcome {
    guard let found = unsafe TokenReply(UnsafeRawBufferPointer(reply)),
      unsafe request.name == nil
        || isOf(request.name, found.account, in: UnsafeRawBufferPointer(reply))
    else { return .notKnown }
    unsafe tellOfMissing(found, in: UnsafeRawBufferPointer(reply))
    let token = unsafe UnsafeRawBufferPointer(rebasing: reply[found.token])
    return unsafe request.form.write(token, expiresAt: found.expiresAt) ? .written : .lost
  }

  /// Whether the account of a reply, by its range there, is the requested one.
  static func isOf(
    _ name: UnsafePointer<CChar>?,
    _ account: Range<Int>,
    in reply: UnsafeRawBufferPointer
  ) -> Bool {
    guard let name = unsafe name else { return false }
    for index in 0..<account.count {
      // A shorter name has its NUL here, and the account's name has none.
      guard unsafe UInt8(bitPattern: name[index]) == reply[account.lowerBound + index] else {
        return false
      }
    }
    return unsafe name[account.count] == 0
  }

  /// Names the scopes that a token lacks.
  ///
  /// The engine reports them once, so the command-line program would not get them again.
  static func tellOfMissing(_ found: TokenReply, in reply: UnsafeRawBufferPointer) {
    guard let missing = found.missingScope else { return }
    tell("note: the provider did not grant all scopes of ")
    unsafe tell(UnsafeRawBufferPointer(rebasing: reply[found.account]))
    tell("; missing: ")
    unsafe tell(UnsafeRawBufferPointer(rebasing: reply[missing]))
    tell("\n")
  }

  private static func tell(_ text: StaticString) {
    unsafe tell(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func tell(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe Glibc.write(2, bytes.baseAddress, bytes.count)
  }
}
