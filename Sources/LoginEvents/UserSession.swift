internal import SystemBus

/// The properties of a session: org.freedesktop.login1.Session.
struct UserSession: Equatable {
  private static let longestIdentifier = 64

  var identifier = ""
  var user: UInt32 = .max
  /// The default is false.
  var isActive = false
  /// The default is true.
  var isRemote = true
  var isLocked = false
  var seat = ""
  /// The session's class.
  var kind = ""
  var state = ""

  /// Reads the answer to `GetAll`.
  ///
  /// - Throws: `notUnderstood` if a property is missing or has another type.
  init(_ answer: BusMessage) throws(BusError) {
    var missing: Set = ["Id", "User", "Active", "Remote", "Seat", "Class", "State", "LockedHint"]
    try answer.entries { name throws(BusError) in
      missing.remove(name)
      switch name {
      case "Id": identifier = try answer.textVariant()
      case "Class": kind = try answer.textVariant()
      case "State": state = try answer.textVariant()
      case "Active": isActive = try answer.booleanVariant()
      case "Remote": isRemote = try answer.booleanVariant()
      case "LockedHint": isLocked = try answer.booleanVariant()
      case "Seat":
        seat = try Self.first(of: answer, "so") { () throws(BusError) in try answer.text() }
      case "User":
        user = try Self.first(of: answer, "uo") { () throws(BusError) in try answer.number() }
      default: try answer.skip("v")
      }
    }
    guard missing.isEmpty, Self.isIdentifier(identifier) else { throw .notUnderstood }
  }

  /// The first value of a pair of a value and its object path, in a variant.
  private static func first<Value>(
    of answer: BusMessage,
    _ contents: String,
    _ read: () throws(BusError) -> Value
  ) throws(BusError) -> Value {
    try answer.variant("(\(contents))") { () throws(BusError) in
      guard try answer.enter("r", contents) else { throw .notUnderstood }
      let value = try read()
      try answer.skip("o")
      try answer.leave()
      return value
    }
  }

  private static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestIdentifier
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
