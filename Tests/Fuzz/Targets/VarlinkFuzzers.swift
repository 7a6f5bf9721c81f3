internal import HelperInterface
internal import JSON
internal import SecretMemory
internal import Varlink
internal import VarlinkMethods
internal import VaultInterface

extension Fuzzer {
  static let vaultCalls = calls("vault-calls", .vault)
  static let helperCalls = calls("helper-calls", .helper)
  static let vaultReplies = replies("vault-replies", .vault)
  static let helperReplies = replies("helper-replies", .helper)

  /// Messages with their NULs, as a client sends them.
  private static func calls(_ name: String, _ interface: VarlinkInterface) -> Fuzzer {
    Fuzzer(name, maximum: interface.maximumMessage, dictionary: "json") { input in
      for message in messages(input.bytes(), interface) { try? readCall(message, interface) }
    }
  }

  /// The name of a method, a line feed, and replies to it with their NULs.
  private static func replies(_ name: String, _ interface: VarlinkInterface) -> Fuzzer {
    let methods = VarlinkMethods.all(of: interface)
    return Fuzzer(name, maximum: interface.maximumMessage, dictionary: "json") { input in
      let line = input.line()
      // Any other line also selects a method, so that a method without a seed is read.
      var dice = Dice(line)
      let method = methods.first { $0.shortName.utf8.elementsEqual(line) }
      guard let method = method ?? methods.randomElement(using: &dice) else { return }
      for message in messages(input.bytes(), interface) {
        try? readReply(message, to: method, interface)
      }
    }
  }
}

/// The messages from a buffer must be the same, however the bytes arrived.
private func messages(_ bytes: [UInt8], _ interface: VarlinkInterface) -> [[UInt8]] {
  let whole = taken(from: [bytes[...]], interface)
  var dice = Dice(bytes)
  var pieces: [ArraySlice<UInt8>] = []
  var start = 0
  while start < bytes.count {
    let most = 1 << Int.random(in: 0...13, using: &dice)
    let end = min(bytes.count, start + Int.random(in: 1...most, using: &dice))
    pieces.append(bytes[start..<end])
    start = end
  }
  demand(taken(from: pieces, interface) == whole, "a message depends on how its bytes came")
  return whole
}

/// The messages that a loop over a socket takes from a `MessageBuffer`.
private func taken(
  from pieces: [ArraySlice<UInt8>],
  _ interface: VarlinkInterface
) -> [[UInt8]] {
  var buffer = MessageBuffer(interface)
  var messages: [[UInt8]] = []
  // A connection ends with the first invalid message, so a real peer never sends so many empty
  // ones.
  func take() throws(MessageError) {
    while messages.count < 512, let message = unsafe try buffer.next({ unsafe [UInt8]($0) }) {
      messages.append(message)
    }
  }
  do throws(MessageError) {
    for piece in pieces {
      var rest = piece
      while !rest.isEmpty, messages.count < 512 {
        let count = unsafe buffer.receive { room in
          let part = rest.prefix(room.count)
          unsafe room.copyBytes(from: part)
          return part.count
        }
        rest = rest.dropFirst(count ?? 0)
        try take()
      }
    }
  } catch {
    // The connection ends here.
  }
  return messages
}

/// Reads a call in all ways of the programs, then encodes it and reads it again.
private func readCall(_ message: [UInt8], _ interface: VarlinkInterface) throws {
  // The first call is freed before the second is read, so that the memory is that of one call.
  let text = try rewritten(message, interface)
  demandSame(text, "a call that was written is another when it is read again") {
    try unsafe text.withUnsafeBytes { bytes in
      // Without its NUL.
      let message = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      return try unsafe VarlinkCall(decoding: message, on: interface).encoded(on: interface)
    }
  }
}

private func rewritten(_ message: [UInt8], _ interface: VarlinkInterface) throws -> SecretBytes {
  let usual =
    interface === VarlinkInterface.vault
    ? unsafe message.withUnsafeBytes { unsafe UsualTokenCall($0) } : nil
  let call: VarlinkCall
  do {
    call = try unsafe message.withUnsafeBytes {
      unsafe try VarlinkCall(decoding: $0, on: interface)
    }
  } catch {
    demand(usual == nil, "a usual call is no call")
    throw error
  }
  if let usual {
    let same = try? usual.call.content(as: AccessTokenCall.self) == call.content()
    demand(same == true && !call.more && !call.oneway, "a usual call means something else")
  }
  _ = try? VaultRequest(call)
  _ = try? HelperRequest(call)
  let service = VarlinkServiceInfo(version: "1", interfaces: [interface])
  let reply = try service.reply(to: call)
  _ = try reply?.plainEncoded(on: interface)
  return try call.encoded(on: interface)
}

/// Reads a reply to a method as its caller does.
private func readReply<Method: VarlinkMethod>(
  _ message: [UInt8],
  to method: Method.Type,
  _ interface: VarlinkInterface
) throws {
  let text = try rewritten(message, to: method, interface)
  guard case .object(let members) = try JSONReader.read(text, secretMembers: interface.replySecrets)
  else { return }
  demandSame(text, "a reply to \(Method.method) is another when it is read again") {
    try JSONWriter.writeSecret(.object(Method.Reply(decoding: members).encoded))
  }
}

private func rewritten<Method: VarlinkMethod>(
  _ message: [UInt8],
  to method: Method.Type,
  _ interface: VarlinkInterface
) throws -> SecretBytes {
  let reply = try unsafe message.withUnsafeBytes {
    unsafe try VarlinkReply(decoding: $0, on: interface)
  }
  _ = try? VaultError(decoding: reply)
  return try JSONWriter.writeSecret(.object(reply.result(of: method).encoded))
}
