public import System

/// The directory that holds the vault, open and locked for as long as this object lives.
///
/// Everything in it is reached through its descriptor, never by path again.
///
/// | name | is |
/// |---|---|
/// | `vault.db` (`-wal`, `-journal`) | the store |
/// | `device-secret` | the root of all keys |
/// | `device-secret.next` | the one that takes its place, while that is under way |
/// | `mark` | the rollback mark |
/// | `slots/<account id>` | answer slot and lock of an account |
/// | `tokens/<account name>`, `tokens/@` | access tokens for the front, and the default account |
public final class StateDirectory: Sendable {
  /// The directory itself.
  public let root: Directory
  /// `slots`.
  public let slots: Directory
  /// `tokens`; `nil` if nobody reads the files in it.
  public let tokens: TokenDirectory?

  /// Opens the state directory at an absolute path, made first (0700) if missing.
  ///
  /// - Throws: `inUse` if another process, or another object of this one, has it open.
  public convenience init(path: String) throws(StorageError) {
    guard path.hasPrefix("/") else { throw .unsafeFile(path, .notAbsolute) }
    // open(2): a slash at the end would follow a link in spite of O_NOFOLLOW.
    var plain = path[...]
    while plain.count > 1, plain.last == "/" { plain.removeLast() }
    let whole = String(plain)
    try self.init(
      try calling(about: path) { () throws(SystemError) in try Directory.make(path: whole) }
    )
  }

  /// Opens the directory that a descriptor from elsewhere leads to, such as the starter's.
  ///
  /// `keepsTokens` is whether there is a front that reads files with tokens.
  ///
  /// - Throws: `inUse` if another process, or another object of this one, has it open.
  public init(
    _ directory: borrowing Directory,
    keepsTokens: Bool = true
  ) throws(StorageError) {
    // A flock(2) lock belongs to the open file description. On an inherited one it would be the
    // starter's as well; "." gives one of our own.
    let root = try Self.open(".", in: directory, create: false, shown: "the state directory")
    let type = try calling { () throws(SystemError) in try root.fileSystemType() }
    if let name = NetworkFileSystem.name(ofType: type) { throw .networkFileSystem(name) }
    guard try calling({ () throws(SystemError) in try root.descriptor.lockExclusively() }) else {
      throw .inUse
    }
    slots = try Self.open("slots", in: root, create: true, shown: "slots")
    if keepsTokens {
      let tokens = try Self.open("tokens", in: root, create: true, shown: "tokens")
      // A write that was cut short may have left a token.
      _ = try? tokens.unlink(TokenFile.temporaryName)
      self.tokens = TokenDirectory(tokens)
    } else {
      tokens = nil
    }
    self.root = root
  }

  /// Opens a directory beneath another and demands that it is this user's alone.
  private static func open(
    _ name: String,
    in parent: borrowing Directory,
    create: Bool,
    shown: String
  ) throws(StorageError) -> Directory {
    let directory = try calling(about: shown) { () throws(SystemError) in
      try parent.openDirectory(name, create: create)
    }
    let status = try calling { () throws(SystemError) in try directory.descriptor.status() }
    // mkdir(2): a directory takes the set-group-ID bit of the one it is made in. It says nothing
    // about access, and chmod(1) does not take it off: it is not looked at.
    if let flaw = status.flaw(kind: .directory, mode: 0o700, mask: 0o5777) {
      throw .unsafeFile(shown, flaw)
    }
    return directory
  }
}

/// The directory of the files that the front answers from.
public final class TokenDirectory: Sendable {
  /// The directory itself.
  public let root: Directory

  init(_ root: consuming Directory) {
    self.root = root
  }
}
