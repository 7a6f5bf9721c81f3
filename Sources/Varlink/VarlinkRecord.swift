public import JSON

/// The parameters of a call, a reply or an error, which both sides encode and decode.
///
/// A record ignores unknown members, because new members are added over time.
public protocol VarlinkRecord: Sendable {
  /// Reads the members of this record.
  init(decoding object: JSONObject) throws(MessageError)
  /// The members of this record.
  ///
  /// Members that are `nil` are left out.
  var encoded: JSONObject { get throws(MessageError) }
}

/// The parameters of a call.
public protocol VarlinkMethod: VarlinkRecord {
  /// The parameters of its replies.
  associatedtype Reply: VarlinkRecord
  /// Its full name, such as `io.thumblatch.Vault.Lock`.
  static var method: String { get }
  /// Tells the engine whether the client can show a prompt, if the method has a parameter for that;
  /// `nil` leaves it out.
  mutating func tell(reason: String?, canAsk: () -> Bool?)
}

extension VarlinkMethod {
  /// Does nothing, because the method has no parameter for it.
  public mutating func tell(reason: String?, canAsk: () -> Bool?) {}
}

/// Parameters without members.
public struct EmptyReply: VarlinkRecord, Equatable {
  /// Makes empty parameters.
  public init() {}

  /// Ignores all members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// An object without members.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}
