package import Configuration
internal import Glibc
package import SecretMemory
internal import System

/// The provider files of the machine and of the person, for commands and apps.
package struct ProviderDirectories: Sendable {
  /// The administrator's directory; its files take precedence over a person's with the same name.
  package static let systemDirectory = "/etc/thumblatch/providers.d"
  /// The most bytes of a provider file, and of its certificate file.
  package static let maximumFile = 64 * 1024

  package enum Source: String, Sendable, CaseIterable {
    /// The administrator of the machine.
    case system
    /// The person.
    case user
  }

  /// The directory of the machine's providers.
  package let system: String
  /// The directory of the person's providers.
  package let user: String
  /// The person's file of the hosts that get a token.
  package let hosts: String

  /// Finds the person's directory in XDG_CONFIG_HOME (if absolute) or HOME.
  ///
  /// - Throws: `noHome`.
  package init(
    system: String = Self.systemDirectory,
    environment: (String) -> String?
  ) throws(ProviderFileError) {
    self.system = system
    guard let home = ThisProcess.configurationHome(environment) else { throw .noHome }
    user = home + "/thumblatch/providers.d"
    hosts = home + "/thumblatch/hosts.conf"
  }

  /// The names of all providers with their origins, in alphabetical order.
  ///
  /// - Throws: `unreadable`.
  package func names() throws(ProviderFileError) -> [(name: ProviderName, source: Source)] {
    let ofSystem = try names(in: system)
    let ofUser = try names(in: user).filter { !ofSystem.contains($0) }
    return (ofSystem.map { ($0, Source.system) } + ofUser.map { ($0, Source.user) })
      .sorted { $0.0 < $1.0 }
      .map { (name: $0.0, source: $0.1) }
  }

  /// Reads a provider; the machine's file takes precedence.
  ///
  /// - Throws: any error except `noHome`; `missing` if no file has this name.
  package func read(
    _ name: ProviderName
  ) throws(ProviderFileError) -> (provider: Provider, source: Source) {
    for (directory, source) in [(system, Source.system), (user, Source.user)] {
      let path = directory + "/" + ProviderFile.fileName(for: name)
      guard let file = try load(path, missing: true) else { continue }
      let provider: Provider
      do throws(ConfigurationError) {
        provider = try ProviderFile.parse(bytes: file.bytes.bytes, file: path) { certificates in
          guard let pem = try contents(of: absolute(certificates, in: directory)) else { return "" }
          return String(decoding: pem, as: UTF8.self)
        }
      } catch {
        throw .wrong("\(error)")
      }
      // All users of the machine may read its files, including a client secret in them.
      guard source == .system || provider.oauth?.clientSecret == nil || file.mode & 0o077 == 0
      else { throw .exposed(path: path) }
      return (provider, source)
    }
    throw .missing(name.text)
  }

  /// The content of a file, at most `maximumFile` bytes.
  ///
  /// - Returns: `nil` if the file does not exist and `missing` allows that.
  package func contents(
    of path: String,
    missing: Bool = false
  ) throws(ProviderFileError) -> [UInt8]? {
    guard let file = try load(path, missing: missing) else { return nil }
    return unsafe file.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// The content of the person's file of hosts, at most `maximumFile` bytes; `nil` if there is
  /// none.
  ///
  /// It holds no secret. So it is read into ordinary memory, which takes less time.
  package func hostFile() throws(ProviderFileError) -> [UInt8]? {
    guard let file = try openChecked(hosts, missing: true) else { return nil }
    return try reading(hosts) { () throws(SystemError) in
      let size = Int(min(try file.status().size, Int64(Self.maximumFile)))
      let bytes = try file.read(atMost: size + 1)
      // It grows while it is read, or is too long.
      guard bytes.count <= size else { throw SystemError("read", code: EFBIG) }
      return bytes
    }
  }

  /// Reads a file into locked memory, with its mode: the file may hold a client secret.
  package func load(
    _ path: String,
    missing: Bool
  ) throws(ProviderFileError) -> (bytes: SharedSecret, mode: UInt32)? {
    guard let file = try openChecked(path, missing: missing) else { return nil }
    do {
      let status = try file.status()
      let size = Int(min(status.size, Int64(Self.maximumFile)))
      return (SharedSecret(try SecretBytes(reading: file, ofSize: size)), status.mode)
    } catch {
      throw .unreadable("\(path) cannot be read: \(error)")
    }
  }

  /// Opens a regular file that only root or this user can write to.
  private func openChecked(
    _ path: String,
    missing: Bool
  ) throws(ProviderFileError) -> Descriptor? {
    // O_NONBLOCK: a FIFO in this place must not block the program.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    if number < 0 {
      let code = errno
      if missing && (code == ENOENT || code == ENOTDIR) { return nil }
      throw .unreadable("\(SystemError("open", code: code, subject: path))")
    }
    let file = Descriptor(owning: number)
    let status = try reading(path) { () throws(SystemError) in try file.status() }
    guard status.kind == .regular else { throw .unreadable("\(path) is not a regular file") }
    guard status.size <= Int64(Self.maximumFile) else {
      throw .unreadable("\(path) is larger than \(Self.maximumFile) bytes")
    }
    // A user that can write to the file chooses the server that receives passwords.
    let owner = FileOwner(of: status, at: path)
    if case .hidden(let doubt) = owner { throw .unreadable("\(path) is not used: \(doubt)") }
    guard owner.isRootOrOwn, status.mode & 0o022 == 0 else { throw .unsafe(path: path) }
    return file
  }

  private func reading<Value>(
    _ path: String,
    _ body: () throws(SystemError) -> Value
  ) throws(ProviderFileError) -> Value {
    do throws(SystemError) { return try body() } catch {
      throw .unreadable("\(path) cannot be read: \(error)")
    }
  }

  private func names(in path: String) throws(ProviderFileError) -> [ProviderName] {
    do throws(SystemError) {
      return try Directory(path: path).names().compactMap(ProviderFile.providerName(fileName:))
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return [] }
      throw .unreadable("\(path) cannot be read: \(error)")
    }
  }

  private func absolute(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") ? path : directory + "/" + path
  }
}
