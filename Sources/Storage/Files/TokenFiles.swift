package import System
package import TokenFile

/// The files that the front answers from: `tokens/<account name>`, and `tokens/@` with the name of
/// the default account.
///
/// They are a cache of the store: written after a commit, and removed before a commit that makes
/// them stale. A lost file costs one call to the engine, so none is made durable. If the state
/// directory keeps no token files, nothing is written and nothing is found.
package enum TokenFiles {
  /// The file that holds the default account's name.
  static let defaultName = "@"
  /// No account name begins with a full stop.
  static let temporaryName = ".new"

  /// Writes the token for the front, and replaces an older one.
  package static func write(
    _ token: CachedToken,
    account: String,
    in directory: StateDirectory
  ) throws(StorageError) {
    try demandAccountName(account)
    guard let tokens = directory.tokens else { return }
    try tokens.root.replace(
      account,
      with: token.encoded(),
      by: temporaryName,
      durable: false
    )
  }

  /// The token that the front would find; `nil` if there is no readable one.
  package static func read(
    account: String,
    in directory: StateDirectory
  ) throws(StorageError) -> CachedToken? {
    try demandAccountName(account)
    return try contents(account, limit: CachedToken.maximumFileCount, in: directory)
      .flatMap(CachedToken.decode)
  }

  /// Whether a program has read the token of an account since it was written.
  ///
  /// Only a hint: a file system may not record it, and any program of the user may read the file.
  package static func wasRead(
    account: String,
    in directory: StateDirectory
  ) throws(StorageError) -> Bool {
    try demandAccountName(account)
    guard let tokens = directory.tokens else { return false }
    return try calling { () throws(SystemError) in try tokens.root.wasRead(account) }
  }

  /// Identifies the file of an account among its predecessors and successors; `nil` if there is
  /// none.
  package static func stamp(
    account: String,
    in directory: StateDirectory
  ) throws(StorageError) -> FileStamp? {
    try demandAccountName(account)
    guard let tokens = directory.tokens else { return nil }
    return try calling { () throws(SystemError) in try tokens.root.stamp(account) }
  }

  /// Overwrites and removes the token of an account; false if there was none.
  ///
  /// Another kind of file in its place, such as a symbolic link, is removed without being followed.
  @discardableResult
  package static func remove(
    account: String,
    in directory: StateDirectory
  ) throws(StorageError) -> Bool {
    try demandAccountName(account)
    guard let tokens = directory.tokens else { return false }
    if let file = try? tokens.root.openChecked(account, writing: true),
      let size = try? file.status().size
    {
      file.wipe(count: min(Int(size), CachedToken.maximumFileCount))
    }
    return try calling { () throws(SystemError) in try tokens.root.unlink(account) }
  }

  /// Sets the default account; `nil` removes it.
  package static func setDefault(
    account: String?,
    in directory: StateDirectory
  ) throws(StorageError) {
    guard let tokens = directory.tokens else { return }
    guard let account else {
      try calling { () throws(SystemError) in try tokens.root.unlink(defaultName) }
      return
    }
    try demandAccountName(account)
    try tokens.root.replace(
      defaultName,
      with: Array(account.utf8),
      by: temporaryName,
      durable: false
    )
  }

  package static func defaultAccount(in directory: StateDirectory) throws(StorageError) -> String? {
    guard let bytes = try contents(defaultName, limit: NameRule.longest, in: directory) else {
      return nil
    }
    let name = String(decoding: bytes, as: UTF8.self)
    return NameRule.accepts(name) ? name : nil
  }

  package static func accounts(in directory: StateDirectory) throws(StorageError) -> [String] {
    guard let tokens = directory.tokens else { return [] }
    return try calling { () throws(SystemError) in
      try tokens.root.names().filter(NameRule.accepts).sorted()
    }
  }

  private static func contents(
    _ name: String,
    limit: Int,
    in directory: StateDirectory
  ) throws(StorageError) -> [UInt8]? {
    guard let file = try directory.tokens?.root.openChecked(name) else { return nil }
    return try calling { () throws(SystemError) in
      guard try file.status().size <= Int64(limit) else { return nil }
      return try file.readAll(limit: limit)
    }
  }

  private static func demandAccountName(_ name: String) throws(StorageError) {
    guard NameRule.accepts(name) else { throw .badName }
  }
}
