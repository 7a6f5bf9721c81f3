public import Configuration
internal import SecretMemory
internal import Synchronization
internal import System
public import TokenVault

/// What an administrator has written: `thumblatch.conf` and `providers.d` in one directory.
///
/// Each question is answered from the files as they are then: they are small and seldom asked for,
/// and nobody has to be told that they have changed.
public final class MachineFiles: MachineRules {
  /// Where they are.
  public static let directory = "/etc/thumblatch"
  private static let policyName = "thumblatch.conf"
  private static let providersName = "providers.d"
  /// The most bytes of a file, and the most files of providers.
  private static let maximumFile = 64 * 1024
  private static let mostProviders = 256

  private let path: String
  private let owners: Set<UInt32>
  private let complaints = Mutex<[String: String]>([:])

  /// The files of a directory.
  ///
  /// - Parameters:
  ///   - path: the directory; where it is missing, nothing is laid down.
  ///   - owners: the uids that may own it and what is in it.
  public init(path: String = MachineFiles.directory, owners: Set<UInt32> = [0]) {
    self.path = path
    self.owners = owners
  }

  /// Where the policy stands.
  public var policyFile: String? { path + "/" + Self.policyName }

  /// The policy; the defaults where there is no file.
  public func policy() throws(ConfigurationError) -> Policy {
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

  /// Whether a provider stands in `providers.d`, letter by letter, whatever it is called there.
  public func mayReachThisMachine(_ provider: Provider) -> Bool {
    let wanted = provider.asWritten
    let place = path + "/" + Self.providersName
    let names: [String]
    do throws(ConfigurationError) {
      guard let directory = try openDirectory(place) else { return false }
      names = try calling(place) { () throws(SystemError) in try directory.names() }
      complain(nil, about: place)
    } catch {
      complain("\(error)", about: place)
      return false
    }
    let providers = names.filter { ProviderFile.providerName(fileName: $0) != nil }.sorted()
    return providers.prefix(Self.mostProviders).contains { name in
      let file = place + "/" + name
      do throws(ConfigurationError) {
        let found = try self.provider(name, in: place)
        complain(nil, about: file)
        return found?.isSamePlace(as: wanted) ?? false
      } catch {
        complain("\(error)", about: file)
        return false
      }
    }
  }

  // MARK: - Reading

  private func provider(
    _ name: String,
    in place: String
  ) throws(ConfigurationError) -> Provider? {
    guard let directory = try openDirectory(place),
      let file = try open(name, directory, place + "/" + name)
    else {
      return nil
    }
    // It may hold a client secret.
    let bytes = try readSecret(file, place + "/" + name)
    return try ProviderFile.parse(bytes: bytes, file: place + "/" + name) { certificates in
      // Certificates may lie elsewhere on the machine, if nobody else can change them.
      let whole = certificates.hasPrefix("/") ? certificates : place + "/" + certificates
      let end = whole.lastIndex(of: "/") ?? whole.startIndex
      // Whoever may write to their directory could put others in their place.
      let parent = end == whole.startIndex ? "/" : String(whole[..<end])
      guard let folder = try openDirectory(parent),
        let pem = try read(String(whole[whole.index(after: end)...]), folder, whole)
      else {
        throw ConfigurationError(.unreadable("there is no such file"))
      }
      return String(decoding: pem, as: UTF8.self)
    }
  }

  /// A directory that no one but its owners can change; `nil` if there is none.
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

  /// The bytes of a file that no one but its owners can change; `nil` if there is none.
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

  /// The bytes of a file, in locked memory.
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

  /// What speaks against a file or directory; nil if nothing does.
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

  /// Says what is wrong with a file once, and no more until it is something else.
  private func complain(_ text: String?, about file: String) {
    let isNew = complaints.withLock { known in
      guard known[file] != text else { return false }
      known[file] = text
      return text != nil
    }
    if isNew, let text { Journal.note(text) }
  }
}
