internal import Configuration
internal import Storage

/// What the vault remembers of providers.
struct ProviderState {
  /// What they publish.
  var documents = MetadataCache()
  /// The last account without a client secret whose provider was parsed.
  private var lastContext: AccountContext?

  /// The provider that was parsed last, if it is that of this record.
  func parsed(for account: AccountRow) -> Provider? { lastContext?.provider(for: account) }

  mutating func keep(_ context: AccountContext) { lastContext = context }
}
