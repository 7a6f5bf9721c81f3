internal import Configuration
internal import Glibc
internal import SecretMemory
internal import System

/// The provider files of the machine and of the person.
struct ProviderFiles {
  /// Where administrators put providers; these win over a person's own of the same name.
  static let systemDirectory = "/etc/thumblatch/providers.d"
  /// The most bytes of a provider file, and of the certificates that it names.
  static let maximumFile = 64 * 1024

  /// Where a provider comes from.
  enum Source: String {
    case system
    case user
  }

  /// The directory of the machine's providers.
  let system: String
  /// The directory of the person's providers.
  let user: String

  /// Finds the person's directory in XDG_CONFIG_HOME (if absolute) or HOME.
  init(
    system: String = Self.systemDirectory,
    environment: (String) -> String?
  ) throws(CommandError) {
    self.system = system
    if let configuration = environment("XDG_CONFIG_HOME"), configuration.hasPrefix("/") {
      user = configuration + "/thumblatch/providers.d"
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      user = home + "/.config/thumblatch/providers.d"
    } else {
      throw CommandError(
        .usage,
        "no place for provider files: HOME is not set",
        hint: "set HOME, or XDG_CONFIG_HOME"
      )
    }
  }

  /// The names of all providers with where they come from, in alphabetical order.
  func names() throws(CommandError) -> [(name: ProviderName, source: Source)] {
    let ofSystem = try names(in: system)
    let ofUser = try names(in: user).filter { !ofSystem.contains($0) }
    return (ofSystem.map { ($0, Source.system) } + ofUser.map { ($0, Source.user) })
      .sorted { $0.0 < $1.0 }
      .map { (name: $0.0, source: $0.1) }
  }

  /// Reads a provider, the machine's first.
  func read(_ name: ProviderName) throws(CommandError) -> (provider: Provider, source: Source) {
    for (directory, source) in [(system, Source.system), (user, Source.user)] {
      let path = directory + "/" + ProviderFile.fileName(for: name)
      guard let file = try load(path, missing: true) else { continue }
      let provider: Provider
      do {
        provider = try ProviderFile.parse(bytes: file.bytes.bytes, file: path) { certificates in
          guard let pem = try contents(of: absolute(certificates, in: directory)) else {
            return ""
          }
          return String(decoding: pem, as: UTF8.self)
        }
      } catch {
        throw CommandError(.usage, "\(error)", hint: "correct the file")
      }
      // The machine's files are for everyone who signs in there, and so is what stands in them.
      guard source == .system || provider.oauth?.clientSecret == nil || file.mode & 0o077 == 0
      else {
        throw CommandError(
          .unsafeVault,
          "\(path) holds a client_secret, and other users may read it",
          hint: "chmod 600 \(path)"
        )
      }
      return (provider, source)
    }
    throw missing(name)
  }

  /// The error for a name without a file, with the name that was probably meant.
  private func missing(_ name: ProviderName) -> CommandError {
    let known = ((try? names()) ?? []).map(\.name.text)
    return CommandError(
      .notFound,
      "no such provider: \(name)",
      hint: Nearest.match(name.text, in: known).map { "did you mean: \($0)" }
        ?? "thumblatch provider list; thumblatch provider add \(name) --help"
    )
  }

  /// Writes a new provider to the person's directory, 0600, whole or not at all.
  func add(_ provider: Provider, certificateFile: String?) throws(CommandError) {
    let contents: SecretBytes
    do {
      contents = try ProviderFile.contents(for: provider, certificateFile: certificateFile)
    } catch {
      throw CommandError(.usage, "\(error)")
    }
    try refuseExisting(provider.name)
    let name = ProviderFile.fileName(for: provider.name)
    let directory = try openUserDirectory()
    let temporary = ".\(name).\(ThisProcess.identifier)"
    do {
      try directory.unlink(temporary)
      let file = try directory.create(temporary)
      unsafe try contents.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try file.write(bytes)
      }
      try file.synchronize()
      try directory.rename(temporary, to: name)
      try directory.synchronize()
    } catch {
      _ = try? directory.unlink(temporary)
      throw CommandError(.usage, "\(user)/\(name) could not be written: \(error)")
    }
  }

  /// Fails where a provider of this name is there already.
  func refuseExisting(_ name: ProviderName) throws(CommandError) {
    let file = ProviderFile.fileName(for: name)
    for directory in [system, user]
    where try load(directory + "/" + file, missing: true) != nil {
      throw CommandError(
        .usage,
        "the provider \(name) exists already",
        hint: "edit \(directory)/\(file), or: thumblatch provider remove \(name)"
      )
    }
  }

  /// Removes a provider of the person's.
  func remove(_ name: ProviderName) throws(CommandError) {
    let file = ProviderFile.fileName(for: name)
    do {
      if try Directory(path: user).unlink(file) { return }
    } catch {
      guard error.code == ENOENT else {
        throw CommandError(.usage, "\(user)/\(file) could not be removed: \(error)")
      }
    }
    if try load(system + "/" + file, missing: true) != nil {
      throw CommandError(
        .refused,
        "the provider \(name) belongs to the machine",
        hint: "an administrator may remove \(system)/\(file)"
      )
    }
    throw missing(name)
  }

  /// The contents of a file, at most `maximumFile` bytes.
  ///
  /// - Returns: nil if it does not exist and `missing` allows that.
  func contents(of path: String, missing: Bool = false) throws(CommandError) -> [UInt8]? {
    guard let file = try load(path, missing: missing) else { return nil }
    return unsafe file.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// A file in locked memory: it may hold a client secret.

  private func load(
    _ path: String,
    missing: Bool
  ) throws(CommandError) -> (bytes: SharedSecret, mode: UInt32)? {
    // O_NONBLOCK: a FIFO at this place must not hang the program.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    if number < 0 {
      let code = errno
      if missing && (code == ENOENT || code == ENOTDIR) { return nil }
      throw CommandError(.usage, "\(SystemError("open", code: code, subject: path))")
    }
    let file = Descriptor(owning: number)
    do {
      let status = try file.status()
      guard status.kind == .regular else {
        throw CommandError(.usage, "\(path) is not a regular file")
      }
      // Whoever can write here chooses where passwords go.
      guard status.owner == 0 || status.owner == ThisProcess.user, status.mode & 0o022 == 0 else {
        throw CommandError(
          .unsafeVault,
          "\(path) could be changed by other users",
          hint: "find out who did; then: chown and chmod go-w"
        )
      }
      return (SharedSecret(try read(file, status.size)), status.mode)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.usage, "\(path) cannot be read: \(error)")
    }
  }

  private func read(_ file: borrowing Descriptor, _ size: Int64) throws -> SecretBytes {
    // Locked memory may be scarce: no more than the file needs.
    unsafe try SecretBytes(capacity: Int(min(size, Int64(Self.maximumFile))) + 1) { room in
      var count = 0
      while count < room.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let got = unsafe try file.read(into: rest)
        if got == 0 { return count }
        count += got
      }
      throw SystemError("read", code: EFBIG)
    }
  }

  private func names(in path: String) throws(CommandError) -> [ProviderName] {
    do {
      return try Directory(path: path).names().compactMap(ProviderFile.providerName(fileName:))
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return [] }
      throw CommandError(.usage, "\(path) cannot be read: \(error)")
    }
  }

  private func openUserDirectory() throws(CommandError) -> Directory {
    do {
      let directory = try Directory.make(path: user)
      let status = try directory.descriptor.status()
      // Whoever can write here chooses where passwords are sent at the next login.
      guard status.owner == ThisProcess.user, status.mode & 0o022 == 0 else {
        throw CommandError(
          .unsafeVault,
          "\(user) could be written by others",
          hint: "chmod 700 \(user)"
        )
      }
      return directory
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.usage, "\(user) cannot be made: \(error)")
    }
  }

  private func absolute(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") ? path : directory + "/" + path
  }
}
