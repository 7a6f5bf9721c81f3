package import Configuration
internal import SecretMemory
internal import System

extension ProviderDirectories {
  /// The first line of a file of certificates that is written here.
  ///
  /// A reader of PEM skips it (RFC 7468, section 2).
  private static let certificateMark = "# Written by Thumblatch, and removed with its provider.\n"

  /// Writes a new provider to the person's directory, 0600, whole or not at all.
  ///
  /// The provider's own certificates, if it has some, get a file beside it.
  ///
  /// - Throws: `unsafe` if other users can write to the directory; `unreadable` if the file cannot
  ///   be written, or if there is a file of this name.
  package func add(_ provider: Provider) throws(ProviderFileError) {
    let name = ProviderFile.fileName(for: provider.name)
    do {
      let directory = try userDirectory()
      let certificates = try keepCertificates(of: provider)
      let contents = try ProviderFile.contents(for: provider, certificateFile: certificates)
      try Self.write(contents, to: name, in: directory)
    } catch let error as ProviderFileError {
      throw error
    } catch {
      throw .unreadable("\(user)/\(name) could not be written: \(error)")
    }
  }

  /// Writes the provider's own certificates into a file beside its own, unless that has them
  /// already.
  ///
  /// - Returns: the name of the file; `nil` if the provider has none.
  /// - Throws: `unsafe` if other users can write to the directory; `unreadable` if the file cannot
  ///   be written, or has other certificates, which may be another provider's.
  package func keepCertificates(of provider: Provider) throws(ProviderFileError) -> String? {
    guard let certificates = provider.certificateAuthority else { return nil }
    let name = ProviderFile.certificateFileName(for: provider.name)
    let bytes = Array((Self.certificateMark + certificates).utf8)
    let present = try contents(of: user + "/" + name, missing: true)
    guard present != bytes, present != Array(certificates.utf8) else { return name }
    guard present == nil else {
      throw .unreadable("\(user)/\(name) has other certificates: move it away, and try again")
    }
    do {
      try Self.write(SecretBytes(copying: bytes), to: name, in: try userDirectory())
    } catch let error as ProviderFileError {
      throw error
    } catch {
      throw .unreadable("\(user)/\(name) could not be written: \(error)")
    }
    return name
  }

  /// The name of the file that `keepCertificates` has written for a provider of the person.
  ///
  /// - Returns: `nil` if there is none, if a person wrote or changed it, or if another provider of
  ///   the person may use it.
  package func keptCertificates(of name: ProviderName) -> String? {
    let file = ProviderFile.certificateFileName(for: name)
    let path = user + "/" + ProviderFile.fileName(for: name)
    guard let known = try? load(path, missing: true),
      let present = try? contents(of: user + "/" + file, missing: true),
      let others = try? names().filter({ $0.name != name && $0.source == .user })
    else { return nil }
    var named: String?
    let provider = try? ProviderFile.parse(bytes: known.bytes.bytes, file: path) { certificates in
      named = certificates
      return String(decoding: present, as: UTF8.self)
    }
    guard named == file, let kept = provider?.certificateAuthority,
      present == Array((Self.certificateMark + kept).utf8),
      others.allSatisfy({ other in
        guard let (provider, _) = try? read(other.name) else { return false }
        return provider.certificateAuthority != kept
      })
    else { return nil }
    return file
  }

  /// The person's directory, which is made if it does not exist.
  private func userDirectory() throws -> Directory {
    let directory = try Directory.make(path: user)
    try Self.demandOwn(directory, at: user)
    return directory
  }

  /// Refuses a directory in which other users can write.
  ///
  /// Such a user would choose the servers that get passwords and tokens.
  static func demandOwn(_ directory: borrowing Directory, at path: String) throws {
    let status = try directory.descriptor.status()
    guard FileOwner(of: status) == .own, status.mode & 0o022 == 0 else {
      throw ProviderFileError.unsafe(path: path)
    }
  }

  /// Writes a file whose name must not exist yet.
  private static func write(
    _ contents: borrowing SecretBytes,
    to name: String,
    in directory: borrowing Directory
  ) throws(SystemError) {
    let temporary = ".\(name).\(ThisProcess.identifier)"
    try directory.unlink(temporary)
    defer { _ = try? directory.unlink(temporary) }
    let file = try directory.create(temporary)
    unsafe try contents.withUnsafeBytes { bytes throws(SystemError) in
      unsafe try file.write(bytes)
    }
    try file.synchronize()
    try directory.rename(temporary, toNew: name)
    try directory.synchronize()
  }
}
