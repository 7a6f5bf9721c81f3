internal import Glibc
internal import Storage
internal import System
internal import TokenVault

/// The directories of the service's users: `users/<uid>`.
///
/// Each has a file `owner` with the user name that it was made for.
///
/// After a user is deleted, the uid may be given to another user. The name distinguishes them.
struct UserDirectories: ~Copyable, Sendable {
  private static let ownerFile = "owner"
  private static let temporaryOwner = ".owner"
  /// The most bytes of a user name.
  ///
  /// useradd(8) allows 32, but some directory services allow more.
  static let longestName = 256

  /// The path of the service's state directory, for messages to an administrator.
  private let path: String
  /// The directory that holds the lock against a second engine.
  private let state: Directory
  private let users: Directory

  /// Opens the users beneath a state directory.
  init(in state: consuming Directory, path: String) throws(SystemError) {
    self.path = path
    let users = try state.openDirectory("users", create: true)
    let status = try users.descriptor.status()
    guard status.owner == ThisProcess.user, status.mode & 0o077 == 0 else {
      throw SystemError("open", code: 13, subject: "\(path)/users")
    }
    // These are left by an engine that was killed while it removed a vault.
    for name in try users.names() where name.hasPrefix(Self.removedPrefix) {
      try? Self.erase(name, in: users)
    }
    self.state = state
    self.users = users
  }

  // MARK: - Root's actions

  private static let removedPrefix = ".removed-"

  /// The uids whose vaults were made for a user name.
  ///
  /// A number means the uid itself, if it has a vault.
  ///
  /// - Throws: why a directory cannot be read, if no other one is this user's.
  func find(_ user: String) throws -> FoundUsers {
    if let uid = UInt32(user) {
      return FoundUsers(uids: try users.contains("\(uid)") ? [uid] : [], unread: [])
    }
    var unread: [UInt32] = []
    var problem: (any Error)?
    let found = try users.names().compactMap(UInt32.init).filter { uid in
      do {
        let directory = try users.openDirectory("\(uid)")
        return try Self.owner(in: directory).map { $0.utf8.elementsEqual(user.utf8) } ?? false
      } catch {
        unread.append(uid)
        problem = error
        return false
      }
    }
    if found.isEmpty, let problem { throw problem }
    return FoundUsers(uids: found.sorted(), unread: unread.sorted())
  }

  /// The uids of all vaults.
  ///
  /// A directory that cannot be opened is listed: its opening says why.
  func list() throws -> [UInt32] {
    try users.names().compactMap { name in
      UInt32(name).flatMap { "\($0)" == name ? $0 : nil }
    }.filter { uid in
      do {
        return try Self.isMade(try users.openDirectory("\(uid)"))
      } catch {
        // It was removed in the meantime.
        return (error as? SystemError)?.code != ENOENT
      }
    }.sorted()
  }

  /// Opens the directory of a user as it is, whichever user has its uid now; `nil` if there is
  /// none, or its creation was interrupted.
  func openAsItIs(_ user: UInt32) throws -> (directory: StateDirectory, owner: String)? {
    guard try users.contains("\(user)") else { return nil }
    let directory = try users.openDirectory("\(user)")
    // Only its user can finish it: a file in it would make the vault one without an owner.
    guard try Self.isMade(directory) else { return nil }
    let owner = try Self.owner(in: directory) ?? ""
    return (try StateDirectory(directory, keepsTokens: false), owner)
  }

  /// Removes the directory of a user with all its files.
  ///
  /// It is renamed first, so that a kill in between leaves either a whole vault or none. The next
  /// start finishes the removal.
  func remove(_ user: UInt32) throws {
    let name = "\(Self.removedPrefix)\(user)-\(BootInstant.now.nanoseconds)"
    try users.rename("\(user)", to: name)
    try users.synchronize()
    try Self.erase(name, in: users)
  }

  private static func erase(_ name: String, in parent: borrowing Directory) throws {
    let directory = try parent.openDirectory(name)
    for entry in try directory.names() {
      // unlinkat(2): EISDIR for a directory.
      do throws(SystemError) {
        _ = try directory.unlink(entry)
      } catch {
        try erase(entry, in: directory)
      }
    }
    try parent.removeDirectory(name)
  }

  /// Why a uid may have no vault here, whatever its name is; `nil` if it may.
  static func objection(to user: UInt32) -> String? {
    switch user {
    // systemd.exec(5), DynamicUser: after the next start, such a uid belongs to another service.
    case 61184...65519: "user \(user) is a dynamic user, whose uid is reused for other users"
    // The kernel shows this uid for a user that this machine's mapping does not include.
    case 65534, UInt32.max: "user \(user) stands for users that are not known here"
    default: nil
    }
  }

  /// Opens the directory of a user, creates it if it is missing, and checks that it belongs to this
  /// user.
  func open(_ user: UInt32, named name: String?) throws -> StateDirectory {
    if let objection = Self.objection(to: user) {
      throw VaultFailure.refused("\(objection): the service keeps no vault for it")
    }
    guard let name, name.utf8.count <= Self.longestName,
      !name.utf8.contains(UInt8(ascii: "\n"))
    else { throw VaultFailure.refused("user \(user) has no name on this machine") }
    let directory = try users.openDirectory("\(user)", create: true)
    try demand(name, user, directory)
    return try StateDirectory(directory, keepsTokens: false)
  }

  private func demand(_ name: String, _ user: UInt32, _ directory: borrowing Directory) throws {
    let folder = "\(path)/users/\(user)"
    let remedy =
      "root decides: if it is another person now, mv \(folder) elsewhere; else write the name"
      + " \(name) into \(folder)/\(Self.ownerFile)"
    if let owner = try Self.owner(in: directory) {
      guard owner == name else {
        throw VaultFailure.vaultUnsafe(
          "the vault of user \(user) was made for \(Self.shown(owner)), and that user is \(name) now",
          hint: VaultHint(remedy)
        )
      }
      return
    }
    // An empty directory was just created, or its creation was interrupted, so no data was ever
    // stored in it.
    guard try !Self.isMade(directory) else {
      throw VaultFailure.vaultUnsafe(
        "the vault of user \(user) does not name the user that it was made for",
        hint: VaultHint(remedy)
      )
    }
    try directory.unlink(Self.temporaryOwner)
    let file = try directory.create(Self.temporaryOwner)
    try file.write(name + "\n")
    try file.synchronize()
    try directory.rename(Self.temporaryOwner, to: Self.ownerFile)
    try directory.synchronize()
    try users.synchronize()
  }

  /// Whether a directory holds more than an interrupted creation leaves.
  private static func isMade(_ directory: borrowing Directory) throws -> Bool {
    try directory.names().contains { $0 != temporaryOwner }
  }

  /// The name in the file `owner`; `nil` if there is no such file.
  private static func owner(in directory: borrowing Directory) throws -> String? {
    guard try directory.contains(ownerFile) else { return nil }
    let file = try directory.openForReading(ownerFile)
    guard try file.status().kind == .regular else { return "" }
    let text = String(decoding: try file.readAll(limit: longestName + 1), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  private static func shown(_ name: String) -> String {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && $0.value > 0x20 && $0.value < 0x7f
    }
    return isPlain && !name.isEmpty ? name : "another user"
  }
}
