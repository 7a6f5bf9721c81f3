package import Configuration
internal import SecretMemory
internal import Synchronization
internal import System
internal import TokenVault

/// The administrator's configuration: `thumblatch.conf` and `providers.d` in one directory.
///
/// Each query reads the files again. They are small and seldom needed, and so the engine need not
/// watch them for changes.
package final class MachineConfiguration: MachineRules {
  package static let directory = "/etc/thumblatch"
  private static let policyName = "thumblatch.conf"
  private static let providersName = "providers.d"
  /// The most bytes of a file, and the most provider files.
  private static let maximumFile = 64 * 1024
  private static let mostProviders = 256

  private let path: String
  private let owners: Set<UInt32>
  private let complaints = Mutex<[String: String]>([:])

  /// Reads the files of a directory.
  ///
  /// - Parameters:
  ///   - path: the directory. If it is missing, the defaults apply.
  ///   - owners: the uids that may own the directory and its files.
  package init(path: String = MachineConfiguration.directory, owners: Set<UInt32> = [0]) {
    self.path = path
    self.owners = owners
  }

  package var policyFile: String? { path + "/" + Self.policyName }

  /// The policy.
  ///
  /// Without a file it is the default.
  package func policy() throws(ConfigurationError) -> Policy {
    let file = path + "/" + Self.policyName
    do throws(ConfigurationError) {
      guard let directory = try openDirectory(path),
        let bytes = try read(Self.policyName, directory, file)
      else { return Policy() }
      let policy = try Policy(bytes: bytes, file: file)
      complain(nil, about: file)
      return policy
    } catch {
      complain("\(error)", about: file)
      throw error
    }
  }

  /// Whether `providers.d` holds exactly this provider, byte by byte, under any name.
  package func mayReachThisMachine(_ provider: Provider) -> Bool {
    let wanted = provider.asWritten
    let folder = path + "/" + Self.providersName
    let names: [String]
    do throws(ConfigurationError) {
      guard let directory = try openDirectory(folder) else { return false }
      names = try calling(folder) { () throws(SystemError) in try directory.names() }
      complain(nil, about: folder)
    } catch {
      complain("\(error)", about: folder)
      return false
    }
    let providers = names.filter { ProviderFile.providerName(fileName: $0) != nil }.sorted()
    return providers.prefix(Self.mostProviders).contains { name in
      let file = folder + "/" + name
      do throws(ConfigurationError) {
        let found = try self.provider(name, in: folder)
        complain(nil, about: file)
        return found?.hasSameSettings(as: wanted) ?? false
      } catch {
        complain("\(error)", about: file)
        return false
      }
    }
  }

  // MARK: - Reading

  private func provider(_ name: String, in folder: String) throws(ConfigurationError) -> Provider? {
    guard let directory = try openDirectory(folder),
      let file = try open(name, directory, folder + "/" + name)
    else { return nil }
    // The file may hold a client secret.
    let bytes = try readSecret(file, folder + "/" + name)
    return try ProviderFile.parse(bytes: bytes, file: folder + "/" + name) { certificates in
      // Certificates may lie elsewhere on the machine, if only the owners can change them.
      let whole = certificates.hasPrefix("/") ? certificates : folder + "/" + certificates
      let end = whole.lastIndex(of: "/") ?? whole.startIndex
      // A user who can write to their directory could replace them.
      let parent = end == whole.startIndex ? "/" : String(whole[..<end])
      guard let folder = try openDirectory(parent),
        let pem = try read(String(whole[whole.index(after: end)...]), folder, whole)
      else { throw ConfigurationError(.unreadable("there is no such file")) }
      return String(decoding: pem, as: UTF8.self)
    }
  }

  /// Opens a directory that only its owners can change; `nil` if it does not exist.
  private func openDirectory(_ path: String) throws(ConfigurationError) -> Directory? {
    let flaw: String?
    do throws(SystemError) {
      let directory = try Directory(path: path)
      flaw = self.flaw(of: try directory.descriptor.status())
      if flaw == nil { return directory }
    } catch {
      guard error.isMissing else { throw Self.unreadable(error, path) }
      return nil
    }
    throw ConfigurationError(.unreadable(flaw ?? ""), file: path)
  }

  /// The bytes of a file that only its owners can change; `nil` if it does not exist.
  private func read(
    _ name: String,
    _ directory: borrowing Directory,
    _ path: String
  ) throws(ConfigurationError) -> [UInt8]? {
    guard let file = try open(name, directory, path) else { return nil }
    return try calling(path) { () throws(SystemError) in
      try file.readAll(limit: Self.maximumFile)
    }
  }

  /// The bytes of a file in locked memory.
  private func readSecret(
    _ file: borrowing Descriptor,
    _ path: String
  ) throws(ConfigurationError) -> SecretBytes {
    do {
      let size = min(try file.status().size, Int64(Self.maximumFile))
      return unsafe try SecretBytes(capacity: Int(size)) { room in
        var count = 0
        while count < room.count {
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
          let got = unsafe try file.read(into: rest)
          if got == 0 { break }
          count += got
        }
        return count
      }
    } catch {
      throw ConfigurationError(.unreadable("\(error)"), file: path)
    }
  }

  private func open(
    _ name: String,
    _ directory: borrowing Directory,
    _ path: String
  ) throws(ConfigurationError) -> Descriptor? {
    let flaw: String?
    do throws(SystemError) {
      let file = try directory.openForReading(name)
      let status = try file.status()
      flaw =
        status.kind != .regular
        ? "it is no regular file"
        : status.size > Int64(Self.maximumFile)
          ? "it is larger than \(Self.maximumFile) bytes" : self.flaw(of: status)
      if flaw == nil { return file }
    } catch {
      guard error.isMissing else { throw Self.unreadable(error, path) }
      return nil
    }
    throw ConfigurationError(.unreadable(flaw ?? ""), file: path)
  }

  /// Why a file or directory must not be used; `nil` if it may be used.
  private func flaw(of status: FileStatus) -> String? {
    guard owners.contains(status.owner) else { return "it belongs to user \(status.owner)" }
    return status.mode & 0o022 == 0 ? nil : "others may write to it"
  }

  private func calling<Value: ~Copyable>(
    _ file: String,
    _ body: () throws(SystemError) -> Value
  ) throws(ConfigurationError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw Self.unreadable(error, file)
    }
  }

  private static func unreadable(_ error: SystemError, _ file: String) -> ConfigurationError {
    ConfigurationError(.unreadable("\(error)"), file: file)
  }

  // MARK: - The journal

  /// Logs the problem of a file once, and again only when it changes.
  private func complain(_ text: String?, about file: String) {
    let isNew = complaints.withLock { known in
      guard known[file] != text else { return false }
      known[file] = text
      return text != nil
    }
    if isNew, let text { Journal.note(text) }
  }
}
