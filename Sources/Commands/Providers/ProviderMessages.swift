internal import Configuration
internal import VaultInterface

/// The conversion of a provider for the engine, and back.
extension VaultProvider {
  /// Copies all settings; the client secret stays in locked memory.
  init(_ provider: Provider) {
    self.init(
      name: provider.name.text,
      settings: provider.settings,
      clientSecret: provider.oauth?.clientSecret?.secret
    )
  }

  /// The provider that an account is bound to, from the engine's settings.
  var bound: Provider {
    get throws(CommandError) {
      do throws(ConfigurationError) {
        return try Provider(
          name: try ProviderName(name),
          boundSettings: settings,
          clientSecret: try clientSecret.map(ClientSecret.init)
        )
      } catch {
        throw CommandError(.bug, "the engine sent an invalid provider: \(error)")
      }
    }
  }
}
