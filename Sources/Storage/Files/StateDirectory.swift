package import System

/// The directory that holds the vault, open and locked during the lifetime of this object.
///
/// Everything in it is reached through its descriptor, never by path.
///
/// | name | is |
/// |---|---|
/// | `vault.db` (`-wal`, `-journal`) | the store |
/// | `device-secret` | the root of all keys |
/// | `device-secret.next` | the one that takes its place, while that is under way |
/// | `rollback-counter` | the number of the last change, authenticated |
/// | `slots/<account id>` | answer slot and lock of an account |
/// | `tokens/<account name>`, `tokens/@` | access tokens for the front, and the default account |
/// | `machine-key` | the slots of the machine key of a private vault |
/// | `agents/<user>`, `agents/<user>.<process>.<start>` | the call of the agents, and an agent |
package final class StateDirectory: Sendable {
  /// The name of the directory where agents are called.
  private static let agents = "agents"

  package let root: Directory
  package let slots: Directory
  /// `tokens`; `nil` if no program reads the files in it.
  package let tokens: TokenDirectory?

  /// Opens the state directory at an absolute path, or creates it (0700) if it does not exist.
  ///
  /// - Throws: `inUse` if another process, or another object of this process, has it open.
  package convenience init(path: String) throws(StorageError) {
    guard path.hasPrefix("/") else { throw .unsafeFile(path, .notAbsolute) }
    // open(2): with a slash at the end, a symbolic link would be followed despite O_NOFOLLOW.
    var plain = path[...]
    while plain.count > 1, plain.last == "/" { plain.removeLast() }
    let whole = String(plain)
    try self.init(
      try calling(about: path) { () throws(SystemError) in try Directory.make(path: whole) }
    )
  }

  /// Opens the directory of a descriptor from elsewhere, such as an inherited one.
  ///
  /// `keepsTokens` says whether a front reads token files.
  ///
  /// - Throws: `inUse` if another process, or another object of this process, has it open.
  package init(_ directory: borrowing Directory, keepsTokens: Bool = true) throws(StorageError) {
    // A flock(2) lock belongs to the open file description. An inherited description would share
    // the lock with the starter, so open "." to get our own.
    let root = try Self.open(".", in: directory, create: false, shown: "the state directory")
    let type = try calling { () throws(SystemError) in try root.fileSystemType() }
    if let name = NetworkFileSystem.name(ofType: type) { throw .networkFileSystem(name) }
    guard try calling({ () throws(SystemError) in try root.descriptor.lockExclusively() }) else {
      throw .inUse
    }
    do throws(StorageError) {
      slots = try Self.open("slots", in: root, create: true, shown: "slots")
      tokens = keepsTokens ? try Self.tokens(in: root) : nil
    } catch {
      root.descriptor.unlock()
      throw error
    }
    self.root = root
  }

  deinit {
    root.descriptor.unlock()
  }

  private static func tokens(in root: borrowing Directory) throws(StorageError) -> TokenDirectory {
    let tokens = try Self.open("tokens", in: root, create: true, shown: "tokens")
    // An interrupted write may have left a token.
    _ = try? tokens.unlink(TokenFiles.temporaryName)
    return TokenDirectory(tokens)
  }

  /// Opens the directory where agents are called, which the first agent makes.
  package func openAgents() throws(StorageError) -> Directory {
    try Self.open(Self.agents, in: root, create: false, shown: Self.agents)
  }

  /// Opens a directory beneath another one and checks that only this user has access.
  static func open(
    _ name: String,
    in parent: borrowing Directory,
    create: Bool,
    shown: String
  ) throws(StorageError) -> Directory {
    let directory = try calling(about: shown) { () throws(SystemError) in
      try parent.openDirectory(name, create: create)
    }
    let status = try calling { () throws(SystemError) in try directory.descriptor.status() }
    // mkdir(2): a directory inherits the set-group-ID bit of its parent. The bit does not affect
    // access, and chmod(1) does not clear it, so ignore it.
    if let flaw = status.flaw(kind: .directory, mode: 0o700, mask: 0o5777) {
      throw .unsafeFile(shown, flaw)
    }
    return directory
  }
}

/// The directory of the files that the front answers from.
package final class TokenDirectory: Sendable {
  package let root: Directory

  init(_ root: consuming Directory) {
    self.root = root
  }
}
