public import JSON
package import SecretMemory

/// A reply, as it goes over the socket: <https://varlink.org/Method-Call>.
public struct VarlinkReply: Sendable, Equatable {
  /// Its parameters, or those of the error.
  public var parameters: JSONObject
  /// Whether more replies to the same call follow.
  public var continues: Bool
  /// The full name of an error.
  public var error: String?

  package init(parameters: JSONObject, continues: Bool = false, error: String? = nil) {
    self.parameters = parameters
    self.continues = continues
    self.error = error
  }

  package init(_ content: some VarlinkRecord, continues: Bool = false) throws(MessageError) {
    self.init(parameters: try content.encoded, continues: continues)
  }

  /// Reads a message, without its NUL, from a socket of `interface`.
  package init(
    decoding bytes: UnsafeRawBufferPointer,
    on interface: VarlinkInterface
  ) throws(MessageError) {
    let object = unsafe try message(
      bytes,
      maximum: interface.maximumMessage,
      JSONRules(secretMembers: interface.replySecrets)
    )
    parameters = try object.parameters
    continues = try object.optional("continues") ?? false
    error = try object.optional("error")
  }

  /// The message with its NUL, in locked memory.
  package func encoded(on interface: VarlinkInterface) throws(MessageError) -> SecretBytes {
    try secretMessage(try object, maximum: interface.maximumMessage)
  }

  /// The message with its NUL, in ordinary memory.
  ///
  /// Throws an error if it holds a secret.
  ///
  /// It is for a server's queue: a slow client then holds no locked memory.
  package func plainEncoded(on interface: VarlinkInterface) throws(MessageError) -> [UInt8] {
    var bytes: [UInt8]
    do {
      bytes = try JSONWriter.write(.object(try object))
    } catch let error as JSONError {
      throw MessageError(error)
    } catch let error as MessageError {
      throw error
    } catch {
      throw .notAnObject
    }
    bytes.append(0)
    guard bytes.count <= interface.maximumMessage else {
      throw .tooLong(maximum: interface.maximumMessage)
    }
    return bytes
  }

  /// The parameters as the reply to a method.
  ///
  /// Throws the error that the reply carries.
  public func result<Method: VarlinkMethod>(
    of method: Method.Type
  ) throws(ReplyError) -> Method.Reply {
    do {
      if let error {
        if let error = try VarlinkError(decoding: self) { throw ReplyError.service(error) }
        throw ReplyError.other(error)
      }
      return try Method.Reply(decoding: parameters)
    } catch let error as ReplyError {
      throw error
    } catch let error as MessageError {
      throw .malformed(error)
    } catch {
      throw .malformed(.notAnObject)
    }
  }

  private var object: JSONObject {
    get throws(MessageError) {
      try .wire([
        "parameters": parameters,
        "continues": continues ? true : nil,
        "error": error,
      ])
    }
  }
}

/// Why a call has no result.
public enum ReplyError: Error, Equatable, Sendable {
  /// The server does not know the method, or a parameter is not valid.
  case service(VarlinkError)
  /// An error that `org.varlink.service` does not define, by its full name.
  case other(String)
  /// The reply does not match the interface.
  case malformed(MessageError)
}
