internal import Glibc
internal import System

/// Requests a token from the service's vault with one call over its socket.
///
/// Only a token that is available at once is used. Everything else is left to the command-line
/// program, which asks the engine again: an error, a prompt, a slow provider, or doubt about the
/// server. The engine opens no prompt for this call, because the person would not see it.
enum ServiceToken {
  /// The time limit of the engine, in milliseconds.
  ///
  /// A provider may take longer; the command-line program reports that.
  private static let patience: Int64 = 1000
  /// The longest message of the interface.
  private static let maximumMessage = 65_536

  /// Writes the token of an account, or of the default one.
  static func answer(_ name: UnsafePointer<CChar>?) -> TokenRequest.Outcome {
    guard let socket = connect() else { return .notKnown }
    return unsafe withUnsafeTemporaryAllocation(byteCount: maximumMessage, alignment: 1) { room in
      let count = unsafe call(name, into: room)
      guard count > 0,
        unsafe send(UnsafeRawBufferPointer(rebasing: room[..<count]), to: socket),
        let reply = unsafe receive(from: socket, into: room)
      else { return .notKnown }
      return unsafe show(UnsafeMutableRawBufferPointer(rebasing: room[..<reply]), name)
    }
  }

  /// Connects, and checks the server before it sends a byte.
  ///
  /// The directory belongs to root, so only root could have put a socket in it. The listener must
  /// be root's too, as the credentials show (unix(7), SO_PEERCRED: "the credentials ... that were
  /// in effect at the time of the call to listen(2)").
  private static func connect() -> Descriptor? {
    var status = stat()
    guard unsafe lstat(word("/run/thumblatch"), &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == 0, status.st_mode & 0o022 == 0
    else { return nil }
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return nil }
    let socket = Descriptor(owning: number)
    // If a standard descriptor was closed at the start, output would go to the engine.
    guard number > 2 else { return nil }
    // socket(7): the limits also apply to connect(2), which waits while a server's queue is full.
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) == 0,
      unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0
    else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let connected = unsafe withUnsafeMutableBytes(of: &address) { bytes -> Bool in
      let path: StaticString = "/run/thumblatch/io.thumblatch.Vault"
      let start = MemoryLayout<sa_family_t>.size
      for index in 0..<path.utf8CodeUnitCount {
        unsafe bytes[start + index] = path.utf8Start[index]
      }
      guard let base = bytes.baseAddress else { return false }
      return unsafe Glibc.connect(
        number,
        base.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      ) == 0
    }
    guard connected, let peer = try? socket.peerCredentials(), peer.user == 0 else { return nil }
    return socket
  }

  /// Writes the call with its NUL; the name was checked and needs no escaping.
  private static func call(
    _ name: UnsafePointer<CChar>?,
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
    if let name = unsafe name {
      add(#""account":""#)
      let length = unsafe strnlen(name, 64)
      for index in 0..<length {
        unsafe room[count] = unsafe UInt8(bitPattern: name[index])
        count += 1
      }
      add(#"","#)
    }
    add(#""ask":false}}"#)
    unsafe room[count] = 0
    return count + 1
  }

  private static func send(_ bytes: UnsafeRawBufferPointer, to socket: borrowing Descriptor) -> Bool
  {
    // The message is far shorter than what a socket takes at once.
    unsafe ((try? socket.send(bytes)) ?? nil) == bytes.count
  }

  /// Receives one message, whose last byte is NUL; `nil` if it is late or invalid.
  private static func receive(
    from socket: borrowing Descriptor,
    into room: UnsafeMutableRawBufferPointer
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
      if unsafe room[count - 1] == 0 { return count }
      guard (BootInstant.now.nanoseconds - begun.nanoseconds) / 1_000_000 < patience else {
        return nil
      }
    }
    return nil
  }

  /// Writes the token of a reply, and a note about missing scopes.
  private static func show(
    _ reply: UnsafeMutableRawBufferPointer,
    _ name: UnsafePointer<CChar>?
  ) -> TokenRequest.Outcome {
    guard let found = unsafe TokenReply(UnsafeRawBufferPointer(reply)),
      unsafe name == nil || found.isOf(name, in: UnsafeRawBufferPointer(reply))
    else { return .notKnown }
    if let missing = found.missingScope {
      // The engine reports them once, so the command-line program would not get them again.
      tell("note: the provider did not grant all scopes of ")
      unsafe tell(UnsafeRawBufferPointer(rebasing: reply[found.account]))
      tell("; missing: ")
      unsafe tell(UnsafeRawBufferPointer(rebasing: reply[missing]))
      tell("\n")
    }
    // The byte after the token is its closing quotation mark.
    unsafe reply[found.token.upperBound] = UInt8(ascii: "\n")
    let line = unsafe reply[found.token.lowerBound...found.token.upperBound]
    return unsafe TokenRequest.write(UnsafeRawBufferPointer(rebasing: line)) ? .written : .lost
  }

  private static func tell(_ text: StaticString) {
    unsafe tell(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func tell(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe Glibc.write(2, bytes.baseAddress, bytes.count)
  }
}
