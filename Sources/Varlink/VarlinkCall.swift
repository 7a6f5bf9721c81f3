package import JSON
internal import PlainText
package import SecretMemory

/// A call, as it goes over the socket: <https://varlink.org/Method-Call>.
package struct VarlinkCall: Sendable, Equatable {
  /// The full name of the method.
  package var method: String
  package var parameters: JSONObject
  /// Whether the caller accepts several replies.
  package var more: Bool
  /// Whether the caller wants no reply.
  package var oneway: Bool
  /// Whether the caller wants to use another protocol on the connection afterwards.
  package var upgrade: Bool

  package init(
    method: String,
    parameters: JSONObject = JSONObject(),
    more: Bool = false,
    oneway: Bool = false,
    upgrade: Bool = false
  ) {
    self.method = method
    self.parameters = parameters
    self.more = more
    self.oneway = oneway
    self.upgrade = upgrade
  }

  package init<Method: VarlinkMethod>(
    _ content: Method,
    more: Bool = false,
    oneway: Bool = false
  ) throws(MessageError) {
    self.init(
      method: Method.method,
      parameters: try content.encoded,
      more: more,
      oneway: oneway
    )
  }

  /// Reads a message, without its NUL, from a socket of `interface`.
  package init(
    decoding bytes: UnsafeRawBufferPointer,
    on interface: VarlinkInterface
  ) throws(MessageError) {
    let object = unsafe try message(
      bytes,
      maximum: interface.maximumMessage,
      JSONRules(
        secretMembers: interface.callSecrets,
        longestMixedText: VarlinkInterface.longestMixedText
      )
    )
    method = try object.required("method")
    guard isMethodName(method) else { throw .badValue("method") }
    parameters = try object.parameters
    more = try object.optional("more") ?? false
    oneway = try object.optional("oneway") ?? false
    upgrade = try object.optional("upgrade") ?? false
  }

  /// The message with its NUL, in locked memory.
  package func encoded(on interface: VarlinkInterface) throws(MessageError) -> SecretBytes {
    let object: JSONObject = try .wire([
      "method": method,
      "parameters": parameters,
      "more": more ? true : nil,
      "oneway": oneway ? true : nil,
      "upgrade": upgrade ? true : nil,
    ])
    return try secretMessage(object, maximum: interface.maximumMessage)
  }

  package var interface: String {
    let end = method.utf8.lastIndex(of: UInt8(ascii: ".")) ?? method.startIndex
    return String(method[..<end])
  }

  /// The parameters as those of a method.
  ///
  /// Throws `otherMethod` if the call is for another one.
  package func content<Method: VarlinkMethod>(
    as type: Method.Type = Method.self
  ) throws(MessageError) -> Method {
    guard method.isByteEqual(to: Method.method) else { throw .otherMethod }
    return try Method(decoding: parameters)
  }
}

/// Whether a name is safe to echo and to log: an interface's name, a dot, and a method's name.
private func isMethodName(_ name: String) -> Bool {
  guard name.utf8.count <= 255, name.utf8.contains(UInt8(ascii: ".")) else { return false }
  return name.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// Reads a message, without its NUL.
func message(
  _ bytes: UnsafeRawBufferPointer,
  maximum: Int,
  _ rules: JSONRules
) throws(MessageError) -> JSONObject {
  guard bytes.count < maximum else { throw .tooLong(maximum: maximum) }
  let value: JSONValue
  do {
    value = unsafe try JSONReader.read(bytes, rules)
  } catch {
    throw MessageError(error)
  }
  guard case .object(let object) = value else { throw .notAnObject }
  return object
}

/// Writes a message with its NUL.
func secretMessage(_ object: JSONObject, maximum: Int) throws(MessageError) -> SecretBytes {
  let bytes: SecretBytes
  do {
    bytes = try JSONWriter.writeSecret(.object(object), terminator: [0])
  } catch .memory(.tooLong) {
    throw .tooLong(maximum: maximum)
  } catch {
    throw MessageError(error)
  }
  guard bytes.count <= maximum else { throw .tooLong(maximum: maximum) }
  return bytes
}
