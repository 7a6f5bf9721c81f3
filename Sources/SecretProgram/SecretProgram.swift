internal import Glibc
package import SecurityKey
internal import System
internal import TPM
internal import UserNames

/// The program that uses the TPM and security keys for slots, separately from the engine: one
/// conversation on descriptor 0.
///
/// It never prints. It opens no other device.
package enum SecretProgram {
  /// Serves one conversation, and ends the process.
  ///
  /// - Parameter keys: the security keys; only the helper of a private vault uses them.
  package static func run(keys: KeyNodes) -> Never {
    do throws(SystemError) {
      try Confinement.enter()
    } catch {
      _exit(1)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let engine = EngineUser.user(arguments: arguments) else { _exit(2) }
    let isServed = SecretConversation(
      engine: engine,
      device: TPMDevice.path,
      keys: arguments.isEmpty ? keys : nil
    ).run()
    // Not exit(3): no exit handler of a library is needed, and the answer has been sent.
    _exit(isServed ? 0 : 1)
  }
}
