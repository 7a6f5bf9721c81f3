internal import Configuration
internal import VaultInterface

/// Which accounts are bound to another provider than their provider's file holds today.
enum ProviderComparison {
  /// Looks at the file of each account's provider.
  ///
  /// - Returns: by account, whether the file differs; without those of which it cannot be said:
  ///   there is no file, it cannot be read, or the engine does not tell what they are bound to.
  static func differing(
    _ accounts: [VaultAccount],
    _ session: Session
  ) -> [String: Bool] {
    guard let files = try? ProviderFiles(environment: session.environment) else { return [:] }
    var result: [String: Bool] = [:]
    var read: [String: Provider?] = [:]
    for account in accounts where account.state != .signedOut {
      if read[account.provider] == nil {
        let name = try? ProviderName(account.provider)
        read[account.provider] = .some(name.flatMap { try? files.read($0).provider })
      }
      guard case .some(.some(let written)) = read[account.provider],
        let bound = try? ProviderVerbs.boundProvider(session, of: account.name)
      else { continue }
      result[account.name] = bound.asWritten != written
    }
    return result
  }
}
