package import Configuration

/// A provider of restored accounts that has no file on this machine.
package struct MissingProviderFile: Sendable {
  package let provider: Provider
  private var accounts: [String]
  private var isClear = true

  fileprivate init(_ provider: Provider, for account: String) {
    self.provider = provider
    accounts = [account]
  }

  /// Why the provider gets no file; `nil` if it gets one.
  ///
  /// A file with the settings of one of the accounts would be wrong for the others.
  package var problem: String? {
    guard !isClear else { return nil }
    let names = accounts.joined(separator: " and ")
    return "\(names) have different settings for it, and each account keeps its settings"
  }

  fileprivate mutating func add(_ account: String, _ other: Provider) {
    accounts.append(account)
    if provider != other { isClear = false }
  }
}

/// An account of a backup, with its provider as a file would describe it.
package struct BackedUpAccount: Sendable {
  fileprivate let name: String
  fileprivate let provider: Provider
  /// Whether the vault has an account of this name, which stays as it is.
  fileprivate let staysAsItIs: Bool

  package init(name: String, provider: Provider, staysAsItIs: Bool) {
    self.name = name
    self.provider = provider.asWritten
    self.staysAsItIs = staysAsItIs
  }
}

extension ProviderDirectories {
  /// The providers of these accounts for which there is no provider file, each once.
  ///
  /// - Throws: any error except `noHome`; `differs` if the person's file and the provider of an
  ///   account that is to be restored have different settings. A later login would use that file.
  package func missingFiles(
    for accounts: [BackedUpAccount]
  ) throws(ProviderFileError) -> [MissingProviderFile] {
    let known = try names()
    var missing: [MissingProviderFile] = []
    for account in accounts {
      let provider = account.provider
      // A static secret needs no file. Its provider may have the name of a login's at the same
      // host.
      guard provider.kind != .static else { continue }
      if let file = known.first(where: { $0.name == provider.name }) {
        guard !account.staysAsItIs, file.source == .user else { continue }
        guard try read(provider.name).provider != provider else { continue }
        throw .differs(
          provider: provider.name.text,
          account: account.name,
          path: user + "/" + ProviderFile.fileName(for: provider.name)
        )
      }
      if let index = missing.firstIndex(where: { $0.provider.name == provider.name }) {
        missing[index].add(account.name, provider)
      } else {
        missing.append(MissingProviderFile(provider, for: account.name))
      }
    }
    return missing
  }
}
