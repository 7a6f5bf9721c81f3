// The wall of this room: it parses and prints the messages of clients of oidc-agent, and opens no
// socket.

internal import JSON
internal import Sodium
package import ToolProtocols

/// The encryption between oidc-agent and its clients, from the agent's side.
///
/// The client sends a public key, and receives one. Then it sends its request in a box, and
/// receives the answer in a box. Neither side authenticates its key, so the encryption does not
/// stop an active attacker. The kernel identifies the client (SO_PEERCRED). The key is therefore in
/// ordinary memory. Versions 4 and 5 of oidc-agent have this encryption.
package struct OIDCAgentChannel: Sendable {
  /// The most bytes of a message: those of a box of the longest request.
  private static let longestMessage = 12 * 1024
  /// The length of a client's first message, unless that is a plain request.
  private static let greetingCount = (NaClBox.publicKeyCount + 2) / 3 * 4

  /// The answer to the client's first message.
  package let greeting: [UInt8]
  private let box: NaClBox

  /// Answers a client's first message.
  package init(_ message: [UInt8]) throws(ToolRequestError) {
    guard message.count == Self.greetingCount,
      let client = Base64.standard.bytes(message), let box = NaClBox(with: client)
    else { throw ToolRequestError(description: "neither JSON nor a public key") }
    greeting = Array(Base64.standard.text(box.publicKey).utf8)
    self.box = box
  }

  /// Whether a client's first message is complete: a plain request, or a public key.
  package static func isWholeGreeting(_ bytes: [UInt8]) throws(ToolRequestError) -> Bool {
    guard bytes.count <= longestMessage else { throw tooLong }
    guard bytes.first == UInt8(ascii: "{") else { return bytes.count >= greetingCount }
    // Clients end it with nothing, a line end or NUL.
    return bytes.last { $0 > UInt8(ascii: " ") } == UInt8(ascii: "}")
  }

  /// Whether a client's box is complete, according to the length at its beginning.
  package static func isWholeBox(_ bytes: [UInt8]) throws(ToolRequestError) -> Bool {
    guard bytes.count <= longestMessage else { throw tooLong }
    let length = bytes.prefix { $0 != UInt8(ascii: ":") }
    guard length.count <= String(OIDCAgentRequest.maximumCount).count else { throw tooLong }
    let colon = length.endIndex
    guard colon < bytes.endIndex else { return false }
    guard let count = Int(String(decoding: length, as: UTF8.self)),
      (0...OIDCAgentRequest.maximumCount).contains(count)
    else { throw tooLong }
    let whole =
      colon + 2 + Base64.standard.count(ofBytes: NaClBox.nonceCount)
      + Base64.standard.count(ofBytes: NaClBox.tagCount + count)
    return bytes.count >= whole
  }

  private static let tooLong = ToolRequestError(description: "the request is too long")

  /// The request in a client's box: its length, the nonce, and the rest, between colons.
  package func open(_ message: [UInt8]) throws(ToolRequestError) -> [UInt8] {
    let parts = message.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3,
      let nonce = Base64.standard.bytes(parts[1]),
      let sealed = Base64.standard.bytes(parts[2]),
      let text = box.open(sealed, nonce: nonce)
    else { throw ToolRequestError(description: "the request cannot be decrypted") }
    return text
  }

  /// The box of an answer.
  package func seal(_ answer: [UInt8]) -> [UInt8] {
    let nonce = (0..<NaClBox.nonceCount).map { _ in UInt8.random(in: 0...255) }
    let sealed = box.seal(answer, nonce: nonce)
    let parts = [nonce, sealed].map { Base64.standard.text($0) }
    return Array("\(answer.count):\(parts[0]):\(parts[1])".utf8)
  }
}
