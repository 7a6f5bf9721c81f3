package import SecretMemory
internal import System

/// The file of the device secret, the root of every key of the vault.
package enum DeviceSecretFile {
  /// The number of bytes of the secret.
  package static let count = 32

  static let name = "device-secret"
  static let temporaryName = "device-secret.new"

  /// Loads the device secret, or creates it durably if it does not exist and no sealed box needs
  /// one.
  ///
  /// - Parameters:
  ///   - directory: the state directory; its lock keeps other processes from doing the same.
  ///   - sealedBoxesExist: whether the store holds anything sealed under a device secret; called
  ///     only if there is no secret.
  /// - Returns: the secret, as the next start will find it.
  /// - Throws: `deviceSecret` with the flaw. An unusable secret is never replaced by a new one:
  ///   that would destroy the chance to restore it.
  package static func open(
    in directory: StateDirectory,
    sealedBoxesExist: () throws(StorageError) -> Bool
  ) throws(StorageError) -> SecretBytes {
    try clear(directory)
    if let secret = try load(name, directory) { return secret }
    guard try !sealedBoxesExist() else { throw .deviceSecret(.missing) }
    try create(directory)
    // Use exactly the bytes that the next start will find.
    guard let secret = try load(name, directory) else { throw .deviceSecret(.missing) }
    return secret
  }

  /// Removes the leftover of an interrupted creation: a part of a secret that was never used, or
  /// the second name of a complete one.
  private static func clear(_ directory: StateDirectory) throws(StorageError) {
    try calling { () throws(SystemError) in
      if try directory.root.unlink(temporaryName) { try directory.root.synchronize() }
    }
  }

  /// Opens the file if it is private and of its size; `nil` if it does not exist.
  static func opened(
    _ name: String,
    _ directory: StateDirectory
  ) throws(StorageError) -> Descriptor? {
    do throws(StorageError) {
      guard let file = try directory.root.openChecked(name) else { return nil }
      let size = try calling { () throws(SystemError) in try file.status().size }
      guard size == Int64(count) else { throw .deviceSecret(.wrongSize(size)) }
      return file
    } catch {
      if case .unsafeFile(_, let flaw) = error { throw .deviceSecret(.unsafeFile(flaw)) }
      throw error
    }
  }

  static func load(
    _ name: String,
    _ directory: StateDirectory
  ) throws(StorageError) -> SecretBytes? {
    guard let file = try opened(name, directory) else { return nil }
    let secret: SecretBytes
    do {
      secret = unsafe try SecretBytes(capacity: count) { buffer in
        unsafe try file.read(into: buffer, at: 0)
      }
    } catch let error as SystemError {
      throw StorageError(error)
    } catch let error as SecretMemoryError {
      throw .memory(error)
    } catch {
      throw .damaged(name)
    }
    guard secret.count == count else { throw .deviceSecret(.wrongSize(Int64(secret.count))) }
    // After a crash a file system may show zeros for bytes that were never written.
    var union: UInt8 = 0
    secret.withBytes { bytes in
      for index in bytes.indices { union |= bytes[index] }
    }
    guard union != 0 else { throw .deviceSecret(.allZero) }
    return secret
  }

  /// Writes a new secret under a temporary name and links it.
  ///
  /// So the final name never leads to an incomplete secret. linkat(2) fails if the name exists, as
  /// O_EXCL does.
  private static func create(_ directory: StateDirectory) throws(StorageError) {
    try writeRandom(temporaryName, directory)
    do throws(SystemError) {
      try directory.root.link(temporaryName, as: name)
      try directory.root.unlink(temporaryName)
      try directory.root.synchronize()
    } catch {
      // Before the link nothing was sealed under this secret. After it, the file stays for the next
      // start.
      _ = try? directory.root.unlink(temporaryName)
      throw StorageError(error)
    }
  }

  /// Writes random bytes into a new file, and makes them durable but not yet their name.
  static func writeRandom(_ name: String, _ directory: StateDirectory) throws(StorageError) {
    let secret: SecretBytes
    do throws(SecretMemoryError) {
      secret = try SecretBytes.random(count: count)
    } catch {
      throw .memory(error)
    }
    let file = try directory.root.createTemporary(name)
    do throws(SystemError) {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        try unsafe file.write(bytes)
      }
      try file.synchronize()
    } catch {
      file.wipe(count: count)
      _ = try? directory.root.unlink(name)
      throw StorageError(error)
    }
  }
}
