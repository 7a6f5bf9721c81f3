internal import JSON

/// A member of a message that a hand-written type reads: its name and its type in the interface
/// file.
struct Member<Value: WireValue>: Sendable {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  /// The member with this value.
  ///
  /// It is left out if the value is `nil`.
  func callAsFunction(_ value: Value?) -> WireMember { (name, value) }
}

/// A member to write.
typealias WireMember = (name: String, value: (any WireValue)?)

extension JSONObject {
  /// An object of the members that are not `nil`.
  static func wire(_ members: [WireMember]) throws(MessageError) -> JSONObject {
    var object = JSONObject()
    for (name, value) in members {
      guard let value else { continue }
      object[name] = try value.wire
    }
    return object
  }

  /// The value of a required member.
  func required<Value>(_ member: Member<Value>) throws(MessageError) -> Value {
    try required(member.name)
  }

  /// The value of a member, or `nil` if it is missing or null.
  func optional<Value>(_ member: Member<Value>) throws(MessageError) -> Value? {
    try optional(member.name)
  }
}
