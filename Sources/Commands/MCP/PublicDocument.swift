internal import HelperInterface
internal import SecretMemory
internal import System
internal import VaultClient

/// The answer to a request without a token.
struct PublicDocument {
  /// The most bytes of an answer.
  static let maximumCount = 64 * 1024
  /// The time limit of a request, in milliseconds.
  private static let timeout = 30_000

  let status: Int
  /// Each as `Name: value`.
  let headers: [String]
  /// The target of a redirect, which is not followed.
  let location: String?
  /// In locked memory, because the answer to a registration may hold a secret.
  let body: SharedSecret

  /// Reads a document, or sends JSON to get one.
  ///
  /// - Throws: exit 5 if there is no complete answer, exit 8 if it is too long.
  init(
    _ url: String,
    sending json: [UInt8]? = nil,
    accept: String = "application/json",
    _ session: Session
  ) throws(CommandError) {
    let call = HelperRequestCall(
      httpMethod: json == nil ? "GET" : "POST",
      url: url,
      headers: ["Accept: \(accept)"] + (json == nil ? [] : ["Content-Type: application/json"]),
      sendsBody: json != nil,
      pins: [],
      timeout: Self.timeout,
      maximumBody: Self.maximumCount
    )
    let answer = try Self.memory(holding: [])
    let sent = try Self.memory(holding: json ?? [])
    session.output.status("asking \(url)")
    defer { session.output.clearStatus() }
    let reply: HelperRequestReply
    do throws(VaultClientError) {
      reply = try session.transmit(
        call,
        json == nil ? nil : sent.descriptor.number,
        answer.descriptor.number
      )
    } catch {
      throw CommandError(error)
    }
    switch reply {
    case .notSent(let reason, let user): throw RequestText.notSent(to: url, reason, user: user)
    case .lost(.tooLarge):
      throw CommandError(.serverError, "the answer of \(url) has more than 64 KiB")
    case .lost(let reason):
      throw CommandError(
        .unavailable,
        "no complete answer came from \(url)\(reason.note)",
        hint: RequestText.hint(reason)
      )
    case .answered(let status, let length, _, let location, let headers):
      self.status = status
      self.headers = headers
      self.location = location
      body = try Self.taken(answer, length)
    }
  }

  private static func memory(holding bytes: [UInt8]) throws(CommandError) -> MemoryFile {
    do throws(SystemError) {
      let file = try MemoryFile()
      try file.descriptor.write(bytes)
      return file
    } catch {
      throw CommandError(.bug, "\(error)")
    }
  }

  /// Moves the body to locked memory.
  private static func taken(
    _ answer: borrowing MemoryFile,
    _ length: Int
  ) throws(CommandError) -> SharedSecret {
    do {
      let body = try unsafe SecretBytes(capacity: min(max(length, 0), maximumCount)) { room in
        unsafe (try? answer.descriptor.read(into: room, at: 0)) ?? 0
      }
      try answer.empty()
      return SharedSecret(body)
    } catch {
      throw CommandError(.bug, "no locked memory for the answer: \(error)")
    }
  }

  /// Whether the document is there.
  ///
  /// - Throws: exit 5 if the server fails or puts the answer off.
  func isFound(at url: String) throws(CommandError) -> Bool {
    switch status {
    case 200...299: return true
    case 429, 500...:
      throw CommandError(.unavailable, "\(url) answered HTTP \(status)", hint: "try again later")
    default: return false
    }
  }
}
