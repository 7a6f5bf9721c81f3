// The wall of this room: the administrator's files are read here only, by the service, by its check
// and by clients.

package import Configuration
internal import SecretMemory
package import System

/// The administrator's configuration in one directory: `thumblatch.conf`, its drop-ins in `conf.d`,
/// and `providers.d`.
///
/// A file that a user other than its owners can change is an error. No symbolic link is followed.
package struct MachineDirectory: Sendable {
  package static let standard = "/etc/thumblatch"
  static let policyName = "thumblatch.conf"
  static let providersName = "providers.d"
  /// The most bytes of a file.
  static let maximumFile = 64 * 1024
  /// The most provider files.
  static let mostProviders = 256

  package let path: String
  private let owners: Set<UInt32>

  /// Names a directory; nothing is read yet.
  ///
  /// - Parameters:
  ///   - path: the directory. If it is missing, the defaults apply.
  ///   - owners: the uids that may own the directory and its files.
  package init(path: String = Self.standard, owners: Set<UInt32> = [0]) {
    self.path = path
    self.owners = owners
  }

  package var policyFile: String { path + "/" + Self.policyName }
  package var providers: String { path + "/" + Self.providersName }
  var dropIns: String { path + "/" + PolicyFiles.dropIns }

  /// The policy of `thumblatch.conf` and its drop-ins; without a file it is the default.
  package func policy() throws(ConfigurationError) -> Policy { try policyFiles().policy() }

  /// The sections of the policy's files; their values are not interpreted.
  package func policyFiles() throws(ConfigurationError) -> PolicyFiles {
    try PolicyFiles(try policySources())
  }

  /// The files of the policy in their order, read but not interpreted.
  package func policySources() throws(ConfigurationError) -> [PolicyFiles.Source] {
    guard let directory = try openDirectory(path) else { return [] }
    var sources: [PolicyFiles.Source] = []
    if let bytes = try read(Self.policyName, directory, policyFile) {
      sources.append(PolicyFiles.Source(file: policyFile, bytes: bytes))
    }
    guard let folder = try openDirectory(dropIns) else { return sources }
    for name in try dropInNames(folder).read {
      if let source = try dropIn(name, folder) { sources.append(source) }
    }
    return sources
  }

  /// The files in the order in which they are read: `thumblatch.conf`, and then its drop-ins.
  package func inOrder(_ sources: [PolicyFiles.Source]) -> [PolicyFiles.Source] {
    sources.filter { $0.file == policyFile }
      + sources.filter { $0.file != policyFile }.sorted { Self.precedes($0.file, $1.file) }
  }

  /// The order of drop-ins: that of the bytes of their names.
  private static func precedes(_ name: String, _ other: String) -> Bool {
    name.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// When one of these files was last written, or a file of the policy was created, removed or
  /// renamed; `nil` if nothing is known.
  package func lastChange(of sources: [PolicyFiles.Source]) -> WallTime? {
    guard let root = try? Directory(path: "/") else { return nil }
    return ([path, dropIns] + sources.map(\.file)).compactMap { path in
      (try? root.lastChange(String(path.drop { $0 == "/" }))) ?? nil
    }
    .max()
  }

  /// One drop-in; `nil` if it was removed since the directory was listed.
  func dropIn(
    _ name: String,
    _ folder: borrowing Directory
  ) throws(ConfigurationError) -> PolicyFiles.Source? {
    let file = dropIns + "/" + name
    if let bytes = try read(name, folder, file) {
      return PolicyFiles.Source(file: file, bytes: bytes)
    }
    // The name was made readable, so that no file has it.
    guard !name.unicodeScalars.contains("\u{FFFD}") else {
      throw ConfigurationError(.unreadable("its name is not UTF-8"), file: file)
    }
    return nil
  }

  /// The names of the drop-ins in byte order, and the names that are ignored.
  func dropInNames(
    _ folder: borrowing Directory
  ) throws(ConfigurationError) -> (read: [String], ignored: [String]) {
    var names: [String]
    do throws(SystemError) { names = try folder.names() } catch {
      throw Self.unreadable(error, dropIns)
    }
    names.sort(by: Self.precedes)
    let read = names.filter(PolicyFiles.isDropIn)
    guard read.count <= PolicyFiles.mostDropIns else {
      let rule = "a directory of at most \(PolicyFiles.mostDropIns) files"
      throw ConfigurationError(.badValue(text: nil, rule: rule), file: dropIns)
    }
    return (read, names.filter { !PolicyFiles.isDropIn($0) })
  }

  // MARK: - Reading

  /// The names of the files in `providers.d`, sorted.
  package func providerNames() throws(ConfigurationError) -> [String] {
    guard let directory = try openDirectory(providers) else { return [] }
    do throws(SystemError) { return try directory.names().sorted() } catch {
      throw Self.unreadable(error, providers)
    }
  }

  /// The files among these names that are read as providers.
  package static func read(_ names: [String]) -> ArraySlice<String> {
    names.filter { ProviderFile.providerName(fileName: $0) != nil }.prefix(mostProviders)
  }

  /// The provider in a file of `providers.d`; `nil` if there is no file.
  package func provider(_ name: String) throws(ConfigurationError) -> Provider? {
    let path = providers + "/" + name
    guard let directory = try openDirectory(providers),
      let file = try open(name, directory, path)
    else { return nil }
    // The file may hold a client secret.
    let bytes = try readSecret(file, path)
    return try ProviderFile.parse(bytes: bytes, file: path) { certificates in
      // Certificates may lie elsewhere on the machine, if only the owners can change them.
      let whole = certificates.hasPrefix("/") ? certificates : providers + "/" + certificates
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
  func openDirectory(_ path: String) throws(ConfigurationError) -> Directory? {
    let flaw: String?
    do throws(SystemError) {
      let directory = try Directory(path: path)
      flaw = self.flaw(of: try directory.descriptor.status(), at: path)
      if flaw == nil { return directory }
    } catch {
      guard error.isMissing else { throw Self.unreadable(error, path) }
      return nil
    }
    throw ConfigurationError(.unreadable(flaw ?? ""), file: path)
  }

  /// The bytes of a file that only its owners can change; `nil` if it does not exist.
  func read(
    _ name: String,
    _ directory: borrowing Directory,
    _ path: String
  ) throws(ConfigurationError) -> [UInt8]? {
    guard let file = try open(name, directory, path) else { return nil }
    do throws(SystemError) { return try file.readAll(limit: Self.maximumFile) } catch {
      throw Self.unreadable(error, path)
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
        ? "it is not a regular file"
        : status.size > Int64(Self.maximumFile)
          ? "it is larger than \(Self.maximumFile) bytes" : self.flaw(of: status, at: path)
      if flaw == nil { return file }
    } catch {
      guard error.isMissing else { throw Self.unreadable(error, path) }
      return nil
    }
    throw ConfigurationError(.unreadable(flaw ?? ""), file: path)
  }

  /// Why a file or directory must not be used; `nil` if it may be used.
  private func flaw(of status: FileStatus, at path: String) -> String? {
    if !owners.contains(status.owner) {
      switch FileOwner(of: status, at: path) {
      case let owner where owner.isRoot && owners.contains(0): break
      case .hidden(let doubt): return "\(doubt)"
      default: return "it belongs to user \(status.owner)"
      }
    }
    return status.mode & 0o022 == 0 ? nil : "others may write to it"
  }

  private static func unreadable(_ error: SystemError, _ file: String) -> ConfigurationError {
    // The text of ELOOP, "Too many levels", would suggest a loop.
    let reason = error.isSymbolicLink ? "it is a symbolic link" : "\(error)"
    return ConfigurationError(.unreadable(reason), file: file)
  }
}
