package import Cryptography

/// Why a slot, a state or a recovery code of the machine key cannot be used.
package enum MachineKeyError: Error, Equatable, Sendable {
  /// Not a file of this format: the magic, a length or an enumeration is wrong.
  case malformed
  /// An unknown kind of slot, perhaps a newer one.
  case unknownKind(UInt8)
  /// It was made for another directory, another owner or another machine key.
  case foreign
  /// The secret is not the one that the slot was sealed with, or the slot is damaged.
  case doesNotOpen
  /// A key could not be derived, or there was no memory for it.
  case cryptography(CryptographyError)
}

extension MachineKeyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed: "it is damaged"
    case .unknownKind(let kind): "its kind \(kind) is not known to this version"
    case .foreign: "it belongs to another machine key"
    case .doesNotOpen: "it does not open: it is damaged, or its secret is another"
    case .cryptography(let error): "\(error)"
    }
  }
}

/// Runs a step of Cryptography.
func calling<Value: ~Copyable>(
  _ step: () throws(CryptographyError) -> Value
) throws(MachineKeyError) -> Value {
  do throws(CryptographyError) {
    return try step()
  } catch {
    throw .cryptography(error)
  }
}
