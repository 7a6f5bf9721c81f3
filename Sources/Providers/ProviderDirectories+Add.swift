package import Configuration
internal import SecretMemory
internal import System

extension ProviderDirectories {
  /// Writes a new provider to the person's directory, 0600, whole or not at all.
  ///
  /// - Throws: `unsafe` if other users can write to the directory; `unreadable` if the file cannot be
  ///   written, or if there is a file of this name.
  package func add(_ provider: Provider) throws(ProviderFileError) {
    let name = ProviderFile.fileName(for: provider.name)
    let temporary = ".\(name).\(ThisProcess.identifier)"
    do {
      let contents = try ProviderFile.contents(for: provider)
      let directory = try Directory.make(path: user)
      let status = try directory.descriptor.status()
      // A user that can write here chooses the servers that get passwords and tokens.
      guard FileOwner(of: status) == .own, status.mode & 0o022 == 0 else {
        throw ProviderFileError.unsafe(path: user)
      }
      try directory.unlink(temporary)
      defer { _ = try? directory.unlink(temporary) }
      let file = try directory.create(temporary)
      unsafe try contents.withUnsafeBytes { bytes throws(SystemError) in
        unsafe try file.write(bytes)
      }
      try file.synchronize()
      try directory.rename(temporary, toNew: name)
      try directory.synchronize()
    } catch let error as ProviderFileError {
      throw error
    } catch {
      throw .unreadable("\(user)/\(name) could not be written: \(error)")
    }
  }
}
