internal import Configuration
internal import Providers
internal import System
internal import VaultClient

/// The user's `hosts.conf`: the hosts that get a token through the helpers of other tools.
struct HostAccounts {
  private let directories: ProviderDirectories

  /// The path of the file.
  var path: String { directories.hosts }

  /// Finds the file in XDG_CONFIG_HOME, in HOME, or in the home directory of the user database.
  init(environment: @escaping (String) -> String?) throws(CommandError) {
    do throws(ProviderFileError) {
      directories = try ProviderDirectories(environment: ToolEnvironment(environment).value)
    } catch {
      throw CommandError(error)
    }
  }

  /// Reads the file; without one, no host gets a token.
  func read() throws(CommandError) -> HostFile {
    let bytes: [UInt8]
    do throws(ProviderFileError) {
      bytes = try directories.hostFile() ?? []
    } catch {
      throw CommandError(error)
    }
    do throws(ConfigurationError) {
      return try HostFile(bytes: bytes, file: path)
    } catch {
      throw .usage("\(error)", hint: "correct the file")
    }
  }

  /// Adds a host.
  func add(_ host: TokenHost, settings: [(key: String, value: String)]) throws(CommandError) {
    try change { file throws(CommandError) in try adding(host, settings, to: file) }
  }

  /// Refuses an entry that the file cannot hold, and changes nothing.
  func demandPossible(
    _ host: TokenHost,
    settings: [(key: String, value: String)]
  ) throws(CommandError) {
    _ = try adding(host, settings, to: try read())
  }

  private func adding(
    _ host: TokenHost,
    _ settings: [(key: String, value: String)],
    to file: HostFile
  ) throws(CommandError) -> String {
    if let entry = file[host] {
      throw .usage(
        "\(host) already gets tokens of \(entry.account)",
        hint: "edit \(path), or: thumblatch host remove \(host)"
      )
    }
    do throws(ConfigurationError) { return try file.adding(host, settings: settings) } catch {
      throw .usage("\(ConfigurationError(error.problem, key: error.key))")
    }
  }

  /// The changes in the file so that a host gets the secret of an account.
  ///
  /// An entry of the account keeps its other settings. An entry of another account is removed.
  ///
  /// - Parameters:
  ///   - host: the host.
  ///   - account: the account.
  ///   - file: the file, as it is now.
  ///   - username: who that is at the host; `nil` if an entry keeps its user name.
  ///   - isOfDocker: whether docker's protocol is to list the host from now on.
  /// - Throws: what the file could not hold.
  /// - Returns: the change; `nil` if none is needed.
  func serving(
    _ host: TokenHost,
    account: String,
    in file: HostFile,
    username: String?,
    isOfDocker: Bool = false
  ) throws(CommandError) -> HostChange? {
    let entry = file[host].flatMap { $0.account.text == account ? $0 : nil }
    if let entry, username == nil || entry.username == username && entry.isBasic,
      entry.isStoredByDocker || !isOfDocker
    {
      return nil
    }
    let change = HostChange(
      host: host,
      account: account,
      former: file[host]?.account,
      username: username,
      isOfDocker: isOfDocker
    )
    _ = try changing(file, change)
    return change
  }

  /// The settings of a host's entry, which keeps the other settings of an earlier entry of the
  /// account.
  private static func settings(
    _ account: String,
    _ entry: HostAccount?,
    username: String?,
    isListed: Bool
  ) -> [(key: String, value: String)] {
    let isBasic = username != nil || entry?.isBasic == true
    var settings = [(key: "account", value: account)]
    for (key, value) in [
      ("scope", entry?.scope), ("audience", entry?.audience),
      ("min-ttl", entry?.minimumLifetime.map { "\($0)s" }),
      ("username", username ?? entry?.username),
      (HostAccount.schemeKey, isBasic ? HostAccount.basic : nil),
      (HostAccount.storedByKey, isListed ? HostAccount.docker : nil),
    ] { if let value { settings.append((key: key, value: value)) } }
    return settings
  }

  /// Removes an account's hosts from docker's list, because docker no longer owns the secret.
  ///
  /// `podman logout --all` would erase the secret of another program.
  func unlist(_ account: String) throws(CommandError) { try apply(unlisting: account) { _ in [] } }

  /// Writes changes, and removes the hosts of an account from docker's list, in one step.
  ///
  /// - Parameters:
  ///   - changes: the changes; none changes nothing.
  ///   - account: the account whose secret docker no longer owns; `nil` if there is none.
  /// - Throws: what the file cannot hold, and `busy`.
  /// - Returns: false if another command has given one of the hosts to another account, or to none.
  func apply(
    _ changes: [HostChange],
    unlisting account: String? = nil
  ) throws(CommandError) -> Bool {
    try apply(unlisting: account) { _ in changes }
  }

  /// The same with changes that are found in the locked file.
  @discardableResult
  func apply(
    unlisting account: String? = nil,
    _ changes: (HostFile) throws(CommandError) -> [HostChange]
  ) throws(CommandError) -> Bool {
    let now = try read()
    guard try !changes(now).isEmpty || !Self.listed(account, in: now).isEmpty else { return true }
    var isWhole = true
    try change { file throws(CommandError) in
      var next = file
      for change in try changes(file) {
        isWhole = isWhole && change.isPossible(in: next)
        next = try changing(next, change)
      }
      for entry in Self.listed(account, in: next) {
        let settings = Self.settings(entry.account.text, entry, username: nil, isListed: false)
        next = try replacing(entry.host, settings, in: next)
      }
      return next.text
    }
    return isWhole
  }

  /// The hosts of an account that docker's protocol lists.
  private static func listed(_ account: String?, in file: HostFile) -> [HostAccount] {
    guard let account else { return [] }
    return file.entries.filter { $0.account.text == account && $0.isStoredByDocker }
  }

  /// The file with a change, if that is possible.
  private func changing(
    _ file: HostFile,
    _ change: HostChange
  ) throws(CommandError) -> HostFile {
    guard change.isPossible(in: file) else { return file }
    let entry = file[change.host].flatMap { $0.account.text == change.account ? $0 : nil }
    let settings = Self.settings(
      change.account,
      entry,
      username: change.username,
      isListed: change.isOfDocker || entry?.isStoredByDocker ?? false
    )
    return try replacing(change.host, settings, in: file)
  }

  private func replacing(
    _ host: TokenHost,
    _ settings: [(key: String, value: String)],
    in file: HostFile
  ) throws(CommandError) -> HostFile {
    var rest = file
    if let text = file.removing(host) { rest = try parsed(text) }
    return try parsed(adding(host, settings, to: rest))
  }

  private func parsed(_ text: String) throws(CommandError) -> HostFile {
    do throws(ConfigurationError) { return try HostFile(text: text, file: path) } catch {
      throw .usage("\(error)", hint: "correct the file")
    }
  }

  /// Removes a host.
  func remove(_ host: TokenHost) throws(CommandError) {
    try change { file throws(CommandError) in
      guard let rest = file.removing(host) else {
        throw CommandError(
          .notFound,
          "no account is set for \(host)",
          hint: "thumblatch host list shows the hosts"
        )
      }
      return rest
    }
  }

  /// Gives the hosts of an account its new name, or removes them if there is none.
  ///
  /// - Returns: the hosts of the account.
  func changeAll(of account: String, to name: String?) throws(CommandError) -> [TokenHost] {
    do throws(ProviderFileError) {
      return try directories.changeHosts(of: account, to: name)
    } catch {
      throw CommandError(error)
    }
  }

  private func change(
    _ body: (HostFile) throws(CommandError) -> String
  ) throws(CommandError) {
    // The file may be a symbolic link.
    guard let place = FileDestination(following: path) else {
      throw .usage("\(path) is a directory")
    }
    let directory = try UserDirectory(place.directory)
    try directory.lock(for: [place.name])
    try directory.write(Array(try body(try read()).utf8), place.name)
  }
}

/// A host that gets the secret of an account from now on, in `hosts.conf`.
struct HostChange {
  let host: TokenHost
  let account: String
  /// The account of its entry when the change was prepared; `nil` if it had none.
  let former: AccountName?
  /// Who that is at the host; `nil` if an entry keeps its user name.
  let username: String?
  /// Whether docker's protocol is to list the host.
  let isOfDocker: Bool

  /// Whether no other command has given the host to another account, or to none.
  fileprivate func isPossible(in file: HostFile) -> Bool {
    let now = file[host]?.account
    return now == former || now?.text == account
  }
}

extension Session {
  /// Gives the hosts of an account its new name, or ends them with the account.
  ///
  /// The account stays renamed or removed if the file cannot be changed. The helpers of other tools
  /// use no private vault beside a service, so nothing changes for one.
  ///
  /// - Parameters:
  ///   - account: the name that the account had.
  ///   - name: its new name; `nil` if it is removed.
  /// - Returns: the hosts that were changed.
  func changeHosts(of account: String, to name: String?) -> [TokenHost] {
    do throws(CommandError) {
      guard helpersUseThisVault else { return [] }
      return try HostAccounts(environment: environment).changeAll(of: account, to: name)
    } catch {
      warnOfHosts(of: account, error)
      return []
    }
  }

  /// Warns of the hosts of an account, if a change of its name may have taken effect.
  func warnOfHosts(of account: String, afterDoubt error: CommandError) {
    guard error.isInDoubt, helpersUseThisVault,
      let file = try? HostAccounts(environment: environment).read(),
      file.entries.contains(where: { $0.account.text == account })
    else { return }
    warnOfHosts(of: account, error)
  }

  private func warnOfHosts(of account: String, _ error: CommandError) {
    output.warn(
      "warning: hosts.conf may still name \(account): \(error.message); to look:"
        + " thumblatch host list; to remove a host: thumblatch host remove HOST"
    )
  }

  private var helpersUseThisVault: Bool {
    (try? knownLocation()) == (try? VaultLocation(privately: false, environment: environment))
  }
}
