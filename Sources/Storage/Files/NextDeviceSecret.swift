package import SecretMemory
internal import System

// The device secret is changed through a second file, `device-secret.next`. The file is durable
// before one transaction seals the store under it and names it. Then the file replaces the old one.
// So at each moment the store names one of the two.
extension DeviceSecretFile {
  static let nextName = "device-secret.next"

  /// Creates a new secret beside the current one, durably.
  ///
  /// - Returns: the secret, as the next start will find it.
  package static func makeNext(in directory: StateDirectory) throws(StorageError) -> SecretBytes {
    try writeRandom(nextName, directory)
    do throws(SystemError) {
      try directory.root.synchronize()
    } catch {
      try? discardNext(in: directory)
      throw StorageError(error)
    }
    guard let made = try load(nextName, directory) else { throw .missing(nextName) }
    return made
  }

  /// The secret that `makeNext` has made; `nil` if there is none, or if its creation was
  /// interrupted.
  ///
  /// Nothing was ever sealed under an incomplete secret.
  package static func next(in directory: StateDirectory) throws(StorageError) -> SecretBytes? {
    do throws(StorageError) {
      return try load(nextName, directory)
    } catch {
      switch error {
      case .deviceSecret(.wrongSize), .deviceSecret(.allZero): return nil
      default: throw error
      }
    }
  }

  /// Puts the next secret in the place of the current one and overwrites the old bytes.
  package static func adoptNext(in directory: StateDirectory) throws(StorageError) {
    // Open it before its name is gone: afterwards its bytes are unreachable.
    let old = try directory.root.openChecked(name, writing: true)
    try calling { () throws(SystemError) in
      try directory.root.rename(nextName, to: name)
      try directory.root.synchronize()
    }
    guard let old else { return }
    old.wipe(count: count)
    try calling { () throws(SystemError) in try old.synchronize() }
  }

  /// Removes the next secret, under which nothing is sealed; does nothing if there is none.
  package static func discardNext(in directory: StateDirectory) throws(StorageError) {
    if let file = try? directory.root.openChecked(nextName, writing: true) {
      file.wipe(count: count)
    }
    try calling { () throws(SystemError) in
      if try directory.root.unlink(nextName) { try directory.root.synchronize() }
    }
  }
}
