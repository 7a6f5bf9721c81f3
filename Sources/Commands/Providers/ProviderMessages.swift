internal import Configuration
internal import VaultClient
internal import VaultInterface

extension VaultProvider {
  /// The provider that an account is bound to, from the engine's settings.
  var bound: Provider {
    get throws(CommandError) {
      do throws(ConfigurationError) {
        return try provider()
      } catch {
        throw CommandError(.bug, "the engine sent an invalid provider: \(error)")
      }
    }
  }
}
