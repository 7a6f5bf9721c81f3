internal import Configuration
internal import Providers
internal import SecretMemory
internal import System

extension AuthProvider {
  /// A provider that the machine's administrator or the person has set up for all programs.
  public struct Installed: Sendable {
    /// The location of a provider's file.
    public enum Source: Sendable, Hashable {
      /// In /etc/thumblatch/providers.d.
      ///
      /// It takes precedence over the person's file of the same name.
      case machine
      /// In ~/.config/thumblatch/providers.d, or below $XDG_CONFIG_HOME.
      case person
    }

    /// The name of the file without `.conf`.
    public let name: String
    /// The location of the file.
    public let source: Source
    /// The provider, or why its file cannot be used.
    public let provider: Result<AuthProvider, AuthError>
  }

  /// All providers of this machine, by name, as `thumblatch provider list` shows them.
  ///
  /// A faulty file is listed with its error, and does not hide other files.
  ///
  /// ```swift
  /// for installed in try AuthProvider.installed() {
  ///   guard case .success(let provider) = installed.provider else { continue }
  ///   print(installed.name, provider.settings["issuer"] ?? "")
  /// }
  /// ```
  ///
  /// - Parameter environment: whether plain http to this machine itself is allowed.
  /// - Returns: each provider's name, with the provider or the reason why its file cannot be used.
  /// - Throws: `misconfigured` if a directory cannot be read, or the environment names no home.
  public static func installed(
    environment: Environment = .production
  ) throws(AuthError) -> [Installed] {
    try installed(in: try directories(), environment)
  }

  static func installed(
    in directories: ProviderDirectories,
    _ environment: Environment
  ) throws(AuthError) -> [Installed] {
    let names = try told { () throws(ProviderFileError) in try directories.names() }
    return names.map { name, source in
      Installed(
        name: name.text,
        source: source == .system ? .machine : .person,
        provider: Result { () throws(AuthError) in
          try AuthProvider(name, in: directories, environment)
        }
      )
    }
  }

  /// Reads the provider of this name on this machine.
  ///
  /// - Parameters:
  ///   - name: the name of its file, without `.conf`.
  ///   - environment: whether plain http to this machine itself is allowed.
  /// - Throws: `misconfigured` if there is no such provider or its file cannot be used;
  ///   `invalidURL` for plain http that is not allowed; `invalidArgument` if the text cannot be a
  ///   name.
  public init(installed name: String, environment: Environment = .production) throws(AuthError) {
    let checked: ProviderName
    do throws(ConfigurationError) { checked = try ProviderName(name) } catch {
      throw AuthError(.invalidArgument, "\(error)", cause: error)
    }
    try self.init(checked, in: try Self.directories(), environment)
  }

  init(
    _ name: ProviderName,
    in directories: ProviderDirectories,
    _ environment: Environment
  ) throws(AuthError) {
    let found = try Self.told { () throws(ProviderFileError) in try directories.read(name) }
    try self.init(found.provider, environment)
  }

  private static func directories() throws(AuthError) -> ProviderDirectories {
    try told { () throws(ProviderFileError) in
      try ProviderDirectories(environment: ThisProcess.environment)
    }
  }

  private static func told<Value>(
    _ body: () throws(ProviderFileError) -> Value
  ) throws(AuthError) -> Value {
    do throws(ProviderFileError) { return try body() } catch {
      let suggestion = "thumblatch provider list shows them, and provider add adds one"
      throw AuthError(
        .misconfigured,
        "\(error)",
        recoverySuggestion: error.remedy ?? suggestion,
        cause: error
      )
    }
  }
}
