internal import HelperInterface
package import Varlink
internal import VaultInterface

/// The methods whose messages tests read in every way, including the two that every service has.
package enum VarlinkMethods {
  /// The interfaces of Thumblatch.
  package static let interfaces: [VarlinkInterface] = [.vault, .helper]

  package static let all: [any VarlinkMethod.Type] =
    service + VaultRequest.methods + HelperRequest.methods

  /// The methods that a socket of this interface answers.
  package static func all(of interface: VarlinkInterface) -> [any VarlinkMethod.Type] {
    service + (interface === VarlinkInterface.vault ? VaultRequest.methods : HelperRequest.methods)
  }

  private static let service: [any VarlinkMethod.Type] = [
    GetInfoCall.self, GetInterfaceDescriptionCall.self,
  ]
}

extension VarlinkMethod {
  /// The name without the interface's, such as `Lock`.
  package static var shortName: Substring { method.split(separator: ".").last ?? "" }
}
