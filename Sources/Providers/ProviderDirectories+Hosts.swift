package import Configuration
internal import System

// The person's file of hosts, for a change of an account.
extension ProviderDirectories {
  /// Gives the hosts of an account its new name, or removes them if that is `nil`.
  ///
  /// - Throws: `unreadable`, `wrong` or `unsafe`; then the file is as it was.
  /// - Returns: the hosts of the account.
  @discardableResult
  package func changeHosts(
    of account: String,
    to name: String?
  ) throws(ProviderFileError) -> [TokenHost] {
    // The file may be a symbolic link.
    guard try changedHosts(of: account, to: name) != nil,
      let place = FileDestination(following: hosts)
    else { return [] }
    let directory = try Self.ownDirectory(place.directory)
    guard directory.lock(changing: [place.name]) else {
      throw .unreadable("another program changes files in \(place.directory)")
    }
    defer { directory.descriptor.unlock() }
    guard let (text, served) = try changedHosts(of: account, to: name) else { return [] }
    do throws(SystemError) {
      try place.write(replacing: true, isDurable: true) { file throws(SystemError) in
        try file.write(text)
      }
    } catch {
      throw .unreadable("\(hosts) could not be written: \(error)")
    }
    return served
  }

  /// Whether an account has hosts.
  ///
  /// - Throws: `unreadable`, `wrong` or `unsafe`.
  package func hasHosts(of account: String) throws(ProviderFileError) -> Bool {
    try changedHosts(of: account, to: nil) != nil
  }

  /// Opens a directory in which only this user can write.
  private static func ownDirectory(_ path: String) throws(ProviderFileError) -> Directory {
    do {
      let directory = try Directory(path: path)
      try demandOwn(directory, at: path)
      return directory
    } catch let error as ProviderFileError {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }

  /// The text of the file with that change, and the hosts of the account; `nil` if it names none.
  private func changedHosts(
    of account: String,
    to name: String?
  ) throws(ProviderFileError) -> (String, [TokenHost])? {
    guard let bytes = try hostFile() else { return nil }
    do throws(ConfigurationError) {
      let file = try HostFile(bytes: bytes, file: hosts)
      let served = file.entries.filter { $0.account.text == account }.map(\.host)
      guard !served.isEmpty else { return nil }
      if let name { return (try file.renaming(account, to: try AccountName(name)), served) }
      return file.removing(account: account).map { ($0, served) }
    } catch {
      throw .wrong("\(error)")
    }
  }
}
