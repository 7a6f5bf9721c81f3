package import JSON

/// A member of a message that a hand-written type reads: its name and its type in the interface
/// file.
package struct Member<Value: WireValue>: Sendable {
  package let name: String

  package init(_ name: String) {
    self.name = name
  }

  /// The member with this value.
  ///
  /// It is left out if the value is `nil`.
  package func callAsFunction(_ value: Value?) -> WireMember { (name, value) }
}

package typealias WireMember = (name: String, value: (any WireValue)?)

extension JSONObject {
  /// An object of the members that are not `nil`.
  package static func wire(_ members: [WireMember]) throws(MessageError) -> JSONObject {
    var object = JSONObject()
    for (name, value) in members {
      guard let value else { continue }
      object[name] = try value.wire
    }
    return object
  }

  package func required<Value>(_ member: Member<Value>) throws(MessageError) -> Value {
    try required(member.name)
  }

  /// The value of a member, or `nil` if it is missing or null.
  package func optional<Value>(_ member: Member<Value>) throws(MessageError) -> Value? {
    try optional(member.name)
  }
}
