package import SystemBus

/// A call of a program on the bus.
package struct SecretCall: Sendable {
  /// The unique name of the program.
  package let sender: String
  /// The program, as a person knows it.
  package let requester: String
  package let path: String
  /// Empty if the call names none.
  package let interface: String
  package let member: String
  package let arguments: [BusValue]

  package init(
    sender: String,
    requester: String,
    path: String,
    interface: String,
    member: String,
    arguments: [BusValue]
  ) {
    self.sender = sender
    self.requester = requester
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }

  /// The interface of the called method.
  ///
  /// - Throws: an error if the object has no such method, or the arguments have other types.
  func interface(of object: SecretObject) throws(SecretServiceError) -> SecretInterface {
    let known = [object.interface, .properties, .introspectable].compactMap(\.self)
    for candidate in known where interface.isEmpty || candidate.name == interface {
      guard let method = candidate.methods.first(where: { $0.name == member }) else { continue }
      guard arguments.map(\.type).joined() == method.input else {
        throw .invalidArguments("\(member) takes the types \"\(method.input)\"")
      }
      return candidate
    }
    throw .unknownMethod
  }
}

/// A signal for one program, or for all.
package struct SecretSignal: Sendable {
  package let path: String
  package let interface: String
  package let member: String
  package let values: [BusValue]
  /// The unique name of the program; `nil` for all.
  package let destination: String?
}

/// The result of a call.
package enum SecretOutcome {
  case answer([BusValue])
  /// The call is answered at once, and the work begins.
  case begin(SecretWork)
  /// The call is answered when the work is done.
  case wait(SecretWork)
}

/// Work that needs a person, or takes longer than a call may.
package struct SecretWork: Sendable {
  package enum Action: Sendable {
    case unlock([String])
    case remove(String)
    case change(String, SecretChange)
  }

  package let number: Int
  /// The unique name of the program that wants it.
  package let owner: String
  package let requester: String
  package let action: Action
}
