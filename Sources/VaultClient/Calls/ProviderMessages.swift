package import Configuration
package import VaultInterface

// The conversion of a provider for the engine, and back.
extension VaultProvider {
  /// Copies all settings; the client secret stays in locked memory.
  package init(_ provider: Provider) {
    self.init(
      name: provider.name.text,
      settings: provider.settings,
      clientSecret: provider.oauth?.clientSecret?.secret
    )
  }

  /// Makes the provider that an account is bound to, from the engine's settings.
  package func provider() throws(ConfigurationError) -> Provider {
    try Provider(
      name: try ProviderName(name),
      boundSettings: settings,
      clientSecret: try clientSecret.map(ClientSecret.init)
    )
  }
}
