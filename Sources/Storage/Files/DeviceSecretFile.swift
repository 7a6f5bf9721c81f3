public import SecretMemory
internal import System

/// The file of the device secret, from which every key of the vault is derived.
public enum DeviceSecretFile {
  /// The number of bytes of the secret.
  public static let count = 32

  static let name = "device-secret"
  static let temporaryName = "device-secret.new"

  /// Loads the device secret; makes it, durable, if there is none and nothing needs one.
  ///
  /// - Parameters:
  ///   - directory: the state directory, whose lock keeps others from doing the same.
  ///   - sealedBoxesExist: whether the store holds anything that a device secret sealed; asked
  ///     only if there is no secret.
  /// - Returns: the secret, as the next start will find it.
  /// - Throws: `deviceSecret` with what is wrong. A secret that cannot be used is never made anew:
  ///   that would turn "restore it" into "all is lost".
  public static func open(
    in directory: StateDirectory,
    sealedBoxesExist: () throws(StorageError) -> Bool
  ) throws(StorageError) -> SecretBytes {
    try clear(directory)
    if let secret = try load(name, directory) { return secret }
    guard try !sealedBoxesExist() else { throw .deviceSecret(.missing) }
    try create(directory)
    // What is used from now on is what the next start will find.
    guard let secret = try load(name, directory) else { throw .deviceSecret(.missing) }
    return secret
  }

  /// Removes what a creation that was cut short left: a part of a secret that was never used, or
  /// the second name of one that was finished.
  private static func clear(_ directory: StateDirectory) throws(StorageError) {
    try calling { () throws(SystemError) in
      if try directory.root.unlink(temporaryName) { try directory.root.synchronize() }
    }
  }

  static func opened(
    _ name: String,
    _ directory: StateDirectory
  ) throws(StorageError) -> Descriptor? {
    do throws(StorageError) {
      return try directory.root.openChecked(name)
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
    let size = try calling { () throws(SystemError) in try file.status().size }
    guard size == Int64(count) else { throw .deviceSecret(.wrongSize(size)) }
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
    // What a file system may show after a crash in place of bytes that were never written.
    var union: UInt8 = 0
    secret.withBytes { bytes in
      for index in bytes.indices { union |= bytes[index] }
    }
    guard union != 0 else { throw .deviceSecret(.allZero) }
    return secret
  }

  /// Writes a fresh secret under another name and links it.
  ///
  /// So the name it is known by never leads to a part of one. linkat(2) fails if the name exists, as O_EXCL does.
  private static func create(_ directory: StateDirectory) throws(StorageError) {
    let secret: SecretBytes
    do throws(SecretMemoryError) {
      secret = try SecretBytes.random(count: count)
    } catch {
      throw .memory(error)
    }
    let file = try directory.root.createTemporary(temporaryName)
    do throws(SystemError) {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        try unsafe file.write(bytes)
      }
      try file.synchronize()
      try directory.root.link(temporaryName, as: name)
      try directory.root.unlink(temporaryName)
      try directory.root.synchronize()
    } catch {
      // Before the link this secret sealed nothing; after it, it stays as it is for the next start.
      _ = try? directory.root.unlink(temporaryName)
      throw StorageError(error)
    }
  }
}
