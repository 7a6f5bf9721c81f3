internal import SecretMemory
internal import System
internal import Varlink
internal import VaultInterface

/// The replies of a connection that are not sent yet.
///
/// They wait in ordinary memory, which is wiped after they are sent, so that a slow caller holds no
/// locked memory. Only a reply that holds a secret waits in locked memory.
struct Outbox {
  /// One reply or several, encoded.
  enum Part: Sendable {
    case plain([UInt8])
    case secret(SharedSecret)

    /// Encodes a reply; `nil` if that fails.
    init?(_ reply: VarlinkReply) {
      if let bytes = try? reply.plainEncoded(on: .vault) {
        self = .plain(bytes)
      } else if let secret = try? reply.encoded(on: .vault) {
        self = .secret(SharedSecret(secret))
      } else {
        return nil
      }
    }

    var count: Int {
      switch self {
      case .plain(let bytes): bytes.count
      case .secret(let secret): secret.bytes.count
      }
    }
  }

  private var parts: [Part] = []
  /// Bytes of the first part that are already sent.
  private var sent = 0
  /// Bytes that are not sent yet.
  private(set) var count = 0

  var isEmpty: Bool { parts.isEmpty }

  /// Adds a reply.
  ///
  /// Returns false if more than `most` bytes would wait.
  mutating func add(_ reply: Part, most: Int) -> Bool {
    switch reply {
    case .plain(let bytes): return add(bytes[...], most: most)
    case .secret(let secret):
      guard count + secret.bytes.count <= most else { return false }
      count += secret.bytes.count
      parts.append(reply)
      return true
    }
  }

  /// Adds bytes of a reply that holds no secret.
  ///
  /// Returns false if more than `most` bytes would wait.
  mutating func add(_ bytes: ArraySlice<UInt8>, most: Int) -> Bool {
    guard count + bytes.count <= most else { return false }
    count += bytes.count
    if case .plain(var last)? = parts.last, parts.count > 1 || sent == 0 {
      parts.removeLast()
      last += bytes
      parts.append(.plain(last))
    } else {
      parts.append(.plain(Array(bytes)))
    }
    return true
  }

  /// Sends until no byte is left, or until `body` accepts none.
  ///
  /// `body` returns how many bytes it took.
  ///
  /// - Returns: whether all bytes are sent.
  /// - Throws: the errors of `body`.
  mutating func send(
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Int?
  ) throws(SystemError) -> Bool {
    while !parts.isEmpty {
      guard let isWhole = unsafe try sendFirst(body) else { return false }
      if isWhole { removeFirst() }
    }
    return true
  }

  /// Whether the first part is fully sent; `nil` if no byte is taken now.
  private mutating func sendFirst(
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Int?
  ) throws(SystemError) -> Bool? {
    let start = sent
    let taken: Int?
    switch parts[0] {
    case .plain(let bytes):
      let result: Result<Int?, SystemError> = unsafe bytes.withUnsafeBytes { all in
        Result { () throws(SystemError) in
          unsafe try body(UnsafeRawBufferPointer(rebasing: all[start...]))
        }
      }
      taken = try result.get()
    case .secret(let secret):
      taken = try unsafe secret.bytes.withUnsafeBytes { all throws(SystemError) in
        unsafe try body(UnsafeRawBufferPointer(rebasing: all[start...]))
      }
    }
    guard let taken else { return nil }
    sent += taken
    count -= taken
    return sent >= parts[0].count
  }

  private mutating func removeFirst() {
    sent = 0
    guard case .plain(var bytes) = parts.removeFirst() else { return }
    // An access token must not stay in a buffer after it is sent.
    unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
  }
}
