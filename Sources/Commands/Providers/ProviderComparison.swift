internal import Configuration
internal import PresenceTerms
internal import VaultInterface

/// The accounts whose bound provider differs from the current file of their provider.
enum ProviderComparison {
  /// Compares each account with the file of its provider.
  ///
  /// - Returns: by account, whether the file differs. An account is left out if there is no file,
  ///   if it cannot be read, or if the engine does not say what the account is bound to.
  static func differing(_ accounts: [VaultAccount], _ session: Session) -> [String: Bool] {
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
