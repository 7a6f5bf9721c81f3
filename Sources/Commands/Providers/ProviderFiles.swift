internal import Configuration
internal import Glibc
internal import Providers
internal import SecretMemory
internal import System

/// The provider files of the machine and of the user, with errors in the words of the verbs.
struct ProviderFiles {
  /// The origin of a provider.
  typealias Source = ProviderDirectories.Source

  private let directories: ProviderDirectories

  /// The directory of the machine's providers.
  var system: String { directories.system }
  /// The directory of the user's providers.
  var user: String { directories.user }

  /// Finds the user's directory in XDG_CONFIG_HOME (if absolute) or HOME.
  init(
    system: String = ProviderDirectories.systemDirectory,
    environment: (String) -> String?
  ) throws(CommandError) {
    directories = try Self.told { () throws(ProviderFileError) in
      try ProviderDirectories(system: system, environment: environment)
    }
  }

  /// The names of all providers with their origins, in alphabetical order.
  func names() throws(CommandError) -> [(name: ProviderName, source: Source)] {
    try Self.told { () throws(ProviderFileError) in try directories.names() }
  }

  /// Reads a provider, the machine's first.
  func read(_ name: ProviderName) throws(CommandError) -> (provider: Provider, source: Source) {
    do throws(ProviderFileError) {
      return try directories.read(name)
    } catch .missing {
      throw missing(name)
    } catch {
      throw CommandError(error)
    }
  }

  /// The error for a name without a file, with the name that was probably meant.
  private func missing(_ name: ProviderName) -> CommandError {
    let known = ((try? names()) ?? []).map(\.name.text)
    return CommandError(
      .notFound,
      "no such provider: \(name)",
      hint: Nearest.match(name.text, in: known).map { "did you mean: \($0)" }
        ?? "thumblatch provider list shows them; to add one: thumblatch provider add --help"
    )
  }

  /// The providers of these accounts for which there is no provider file, each once.
  func missing(for accounts: [BackedUpAccount]) throws(CommandError) -> [MissingProviderFile] {
    try Self.told { () throws(ProviderFileError) in try directories.missingFiles(for: accounts) }
  }

  /// Writes a new provider to the user's directory, 0600, whole or not at all.
  func add(_ provider: Provider, certificateFile: String?) throws(CommandError) {
    try put(provider, certificateFile: certificateFile, replacing: false)
  }

  /// Writes a provider, which may replace one of the user's.
  ///
  /// If no file has the provider's own certificates, they get one beside it.
  func put(
    _ provider: Provider,
    certificateFile: String? = nil,
    replacing: Bool
  ) throws(CommandError) {
    if !replacing { try refuseExisting(provider.name) }
    let certificates: String? =
      if let certificateFile {
        certificateFile
      } else {
        try Self.told { () throws(ProviderFileError) in
          try directories.keepCertificates(of: provider)
        }
      }
    let contents: SecretBytes
    do {
      contents = try ProviderFile.contents(for: provider, certificateFile: certificates)
    } catch {
      throw .usage("\(error)")
    }
    let name = ProviderFile.fileName(for: provider.name)
    try UserDirectory(user).write(contents, name)
  }

  /// Fails if a provider of this name exists already.
  func refuseExisting(_ name: ProviderName) throws(CommandError) {
    let file = ProviderFile.fileName(for: name)
    guard try !exists(system + "/" + file) else {
      throw .usage(
        "the provider \(name) is set by the administrator",
        hint: "use another name; an administrator can edit \(system)/\(file)"
      )
    }
    guard try !exists(user + "/" + file) else {
      throw .usage(
        "the provider \(name) already exists",
        hint: "edit \(user)/\(file), or: thumblatch provider remove \(name)"
      )
    }
  }

  /// Removes a provider of the user, with the file of certificates that `put` has written for it.
  ///
  /// - Returns: the name of the file of certificates; `nil` if none was removed.
  @discardableResult
  func remove(_ name: ProviderName) throws(CommandError) -> String? {
    let file = ProviderFile.fileName(for: name)
    let certificates = directories.keptCertificates(of: name)
    do {
      let directory = try Directory(path: user)
      if try directory.unlink(file) {
        guard let certificates, (try? directory.unlink(certificates)) == true else { return nil }
        return certificates
      }
    } catch {
      guard error.code == ENOENT else {
        throw .usage("\(user)/\(file) could not be removed: \(error)")
      }
    }
    if try exists(system + "/" + file) {
      throw CommandError(
        .refused,
        "the provider \(name) is set by the administrator",
        hint: "an administrator can remove \(system)/\(file)"
      )
    }
    throw missing(name)
  }

  /// The contents of a file, at most `ProviderDirectories.maximumFile` bytes.
  ///
  /// - Returns: `nil` if it does not exist and `missing` allows that.
  func contents(of path: String, missing: Bool = false) throws(CommandError) -> [UInt8]? {
    try Self.told { () throws(ProviderFileError) in
      try directories.contents(of: path, missing: missing)
    }
  }

  private func exists(_ path: String) throws(CommandError) -> Bool {
    try Self.told { () throws(ProviderFileError) in
      try directories.load(path, missing: true) != nil
    }
  }

  private static func told<Value>(
    _ body: () throws(ProviderFileError) -> Value
  ) throws(CommandError) -> Value {
    do throws(ProviderFileError) { return try body() } catch { throw CommandError(error) }
  }
}

extension CommandError {
  /// The error for provider files that cannot be used.
  init(_ error: ProviderFileError) {
    let code: ExitCode =
      switch error {
      case .missing: .notFound
      case .unsafe, .exposed: .unsafeVault
      case .noHome, .wrong, .unreadable: .usage
      case .differs: .refused
      }
    self.init(code, "\(error)", hint: error.remedy)
  }
}
