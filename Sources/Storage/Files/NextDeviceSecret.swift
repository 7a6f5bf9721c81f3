public import SecretMemory
internal import System

// A change of the device secret goes through a second file, `device-secret.next`. It is durable
// before the store, in one transaction, is sealed under it and names it; then it takes the place of
// the old one. So at each moment one of the two is the one that the store names.
extension DeviceSecretFile {
  static let nextName = "device-secret.next"

  /// Makes a fresh secret beside the one that is in use, durable when this returns.
  ///
  /// - Returns: the secret as the next start will find it.
  public static func makeNext(in directory: StateDirectory) throws(StorageError) -> SecretBytes {
    let secret: SecretBytes
    do throws(SecretMemoryError) {
      secret = try SecretBytes.random(count: count)
    } catch {
      throw .memory(error)
    }
    let file = try directory.root.createTemporary(nextName)
    do throws(SystemError) {
      try unsafe secret.withUnsafeBytes { bytes throws(SystemError) in
        try unsafe file.write(bytes)
      }
      try file.synchronize()
      try directory.root.synchronize()
    } catch {
      file.wipe(count: count)
      _ = try? directory.root.unlink(nextName)
      throw StorageError(error)
    }
    guard let made = try load(nextName, directory) else { throw .missing(nextName) }
    return made
  }

  /// The secret that `makeNext` has made; nil if there is none, or one whose making was cut short:
  /// nothing was ever sealed under that.
  public static func next(in directory: StateDirectory) throws(StorageError) -> SecretBytes? {
    do throws(StorageError) {
      return try load(nextName, directory)
    } catch {
      switch error {
      case .deviceSecret(.wrongSize), .deviceSecret(.allZero): return nil
      default: throw error
      }
    }
  }

  /// Puts the next secret in place of the one that was in use, whose bytes are overwritten.
  public static func adoptNext(in directory: StateDirectory) throws(StorageError) {
    // Opened before its name is gone: afterwards nothing leads to its bytes.
    let old = try directory.root.openChecked(name, writing: true)
    try calling { () throws(SystemError) in
      try directory.root.rename(nextName, to: name)
      try directory.root.synchronize()
    }
    guard let old else { return }
    old.wipe(count: count)
    try calling { () throws(SystemError) in try old.synchronize() }
  }

  /// Removes the next secret, which nothing is sealed under; nothing happens if there is none.
  public static func discardNext(in directory: StateDirectory) throws(StorageError) {
    if let file = try? directory.root.openChecked(nextName, writing: true) {
      file.wipe(count: count)
    }
    try calling { () throws(SystemError) in
      if try directory.root.unlink(nextName) { try directory.root.synchronize() }
    }
  }
}
