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
  init(_ answer: borrowing BusMessage) throws(LoginFailure) {
    var missing: Set = ["Id", "User", "Active", "Remote", "Seat", "Class", "State", "LockedHint"]
    guard try answer.enter("a", "{sv}") else { throw .notUnderstood }
    while try answer.enter("e", "sv") {
      let name = try answer.text()
      missing.remove(name)
      switch name {
      case "Id": identifier = try answer.inside("s") { m throws(LoginFailure) in try m.text() }
      case "Class": kind = try answer.inside("s") { m throws(LoginFailure) in try m.text() }
      case "State": state = try answer.inside("s") { m throws(LoginFailure) in try m.text() }
      case "Active": isActive = try answer.inside("b") { m throws(LoginFailure) in try m.boolean() }
      case "Remote": isRemote = try answer.inside("b") { m throws(LoginFailure) in try m.boolean() }
      case "LockedHint":
        isLocked = try answer.inside("b") { m throws(LoginFailure) in try m.boolean() }
      case "Seat":
        seat = try Self.first(of: answer, "so") { m throws(LoginFailure) in try m.text() }
      case "User":
        user = try Self.first(of: answer, "uo") { m throws(LoginFailure) in try m.number() }
      default: try answer.skip("v")
      }
      try answer.leave()
    }
    guard missing.isEmpty, Self.isIdentifier(identifier) else { throw .notUnderstood }
  }

  /// The first value of a pair of a value and its object path.
  private static func first<Value>(
    of answer: borrowing BusMessage,
    _ contents: String,
    _ read: (borrowing BusMessage) throws(LoginFailure) -> Value
  ) throws(LoginFailure) -> Value {
    try answer.inside("(\(contents))") { message throws(LoginFailure) in
      guard try message.enter("r", contents) else { throw .notUnderstood }
      let value = try read(message)
      try message.skip("o")
      try message.leave()
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

extension BusMessage {
  /// Reads the content of a variant with this type.
  fileprivate borrowing func inside<Value>(
    _ type: String,
    _ read: (borrowing BusMessage) throws(LoginFailure) -> Value
  ) throws(LoginFailure) -> Value {
    guard try enter("v", type) else { throw .notUnderstood }
    let value = try read(self)
    try leave()
    return value
  }
}
