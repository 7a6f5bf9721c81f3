internal import Configuration
internal import GTK
internal import Providers
internal import System

// The files of providers.
extension SignInModel {
  /// The names that a new provider cannot have.
  static func knownProviders() async throws(SignInProblems) -> Set<ProviderName> {
    do throws(ProviderFileError) {
      return try await onThread { () throws(ProviderFileError) in
        let directories = try ProviderDirectories(environment: { ThisProcess.environment($0) })
        return Set(try directories.names().map(\.name))
      }
    } catch {
      throw SignInProblems(nil, Trouble(english: "\(error)", advice: error.remedy).text)
    }
  }

  /// Keeps the settings of a provider for later sign-ins.
  static func keep(_ provider: Provider) async -> Trouble? {
    do throws(ProviderFileError) {
      try await onThread { () throws(ProviderFileError) in
        try ProviderDirectories(environment: { ThisProcess.environment($0) }).add(provider)
      }
      return nil
    } catch {
      return Trouble(
        tr(
          "you are signed in, but the provider is not kept for later: %s",
          ErrorWords.clause("\(error)")
        ),
        advice: error.remedy
      )
    }
  }

  /// Works with files on a thread of its own: a home directory may be on a network.
  static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ProviderFileError) -> Value
  ) async throws(ProviderFileError) -> Value {
    try await DesktopApp.onThread(orElse: { .unreadable("\($0)") }, body)
  }
}
