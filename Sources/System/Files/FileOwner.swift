internal import Glibc

/// The owner of a file, or the user of a listener, as far as this process can tell.
///
/// In a user namespace without a mapping for root, one number represents root and every other user
/// without a mapping. An owner with this number counts as root only if no other user could have
/// made the file. Threats, section "A sandbox that hides root", has the argument.
package enum FileOwner: Equatable, Sendable {
  /// The user of this process, also if that is root.
  case own
  case root
  case other(UInt32)
  /// A user that this namespace hides.
  ///
  /// It may be any user, for this reason.
  case hidden(HiddenOwner)

  /// The owner of a file.
  ///
  /// - Parameters:
  ///   - status: the facts of the open file.
  ///   - path: its absolute path. Without one, a hidden owner stays hidden.
  package init(of status: FileStatus, at path: String? = nil) {
    self.init(status.owner) { namespace throws(HiddenOwner) in
      guard let path else { throw .elsewhere }
      try RootPlace.demand(status, at: path, namespace)
    }
  }

  /// The owner of a file, a directory or a socket, by its absolute path (lstat(2)); `nil` if it
  /// does not exist, or if the path ends at a symbolic link.
  package init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, FileStatus(status).kind != .other else { return nil }
    self.init(of: FileStatus(status), at: path)
  }

  /// The user of a Unix socket's listener (unix(7), SO_PEERCRED).
  ///
  /// - Parameters:
  ///   - listener: the user that the kernel names.
  ///   - directory: the facts of the directory in which the socket was found.
  ///   - path: its absolute path.
  package init(ofListener listener: UInt32, in directory: FileStatus, at path: String) {
    self.init(listener) { namespace throws(HiddenOwner) in
      guard directory.owner == listener else { throw .elsewhere }
      guard directory.mode & 0o022 == 0 else { throw .writable(path) }
      try RootPlace.demand(directory, at: path, namespace)
    }
  }

  private init(
    _ user: UInt32,
    demandRoot: (UserNamespace) throws(HiddenOwner) -> Void
  ) {
    if user == 0 {
      self = ThisProcess.user == 0 ? .own : .root
      return
    }
    let namespace = UserNamespace.current
    // Also if it is this process's own number: another user without a mapping has the same one.
    guard user == namespace.hiddenUser else {
      self = user == ThisProcess.user ? .own : .other(user)
      return
    }
    do throws(HiddenOwner) {
      if let doubt = namespace.doubt { throw doubt }
      try demandRoot(namespace)
      self = .root
    } catch {
      self = .hidden(error)
    }
  }

  /// Whether it is root or this user.
  package var isRootOrOwn: Bool { self == .root || self == .own }

  /// Whether it is root.
  package var isRoot: Bool { self == .root || self == .own && ThisProcess.user == 0 }

  /// Whether a number represents users that this process cannot distinguish.
  package static func isHidden(_ user: UInt32) -> Bool {
    user != 0 && user == UserNamespace.current.hiddenUser
  }
}

/// The reason why a hidden owner does not count as root.
package enum HiddenOwner: Error, Equatable, Sendable {
  /// proc(5) does not show which users the namespace maps.
  case noProc
  /// The namespace also maps a user to the number that stands for hidden users.
  case mapped(UInt32)
  /// The namespace shows root by another number.
  case notRoot
  /// Another user may have made the file in this place.
  case elsewhere
  /// Other users can write to a directory on the path.
  case writable(String)
  /// The path does not lead to the file without symbolic links.
  case replaced(String)
}

extension HiddenOwner: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noProc: "its owner is hidden in this sandbox, which has no /proc"
    case .mapped(let user):
      "its owner is hidden in this sandbox, where user \(user) stands for several users"
    case .notRoot: "it belongs to a user whom this sandbox hides, and who is not root"
    case .elsewhere: "its owner is hidden in this sandbox, and another user may have made it"
    case .writable(let path):
      "its owner is hidden in this sandbox, and other users can write to \(path)"
    case .replaced(let path):
      "its owner is hidden in this sandbox, and \(path) is a symbolic link or cannot be read"
    }
  }

  /// How to install a program or file so that the sandbox may use it.
  package var remedy: String {
    switch self {
    case .noProc: "mount /proc in the sandbox"
    case .mapped, .notRoot: "install it as your own user in the sandbox"
    case .elsewhere: "install it below /usr, or as your own user"
    case .writable, .replaced: "mount its directory below /usr, read-only"
    }
  }
}

/// The directories in which a file with a hidden owner is root's.
private enum RootPlace {
  /// The Filesystem Hierarchy Standard gives them to root.
  ///
  /// `/usr/local` is not one of them: an administrator may have given it to a user.
  private static let directories = ["/usr", "/etc/thumblatch", "/run/thumblatch"]
  private static let local = "/usr/local"

  /// Checks that no user but root and this one could have made a file whose owner is hidden.
  static func demand(
    _ status: FileStatus,
    at path: String,
    _ namespace: UserNamespace
  ) throws(HiddenOwner) {
    let names = path.split(separator: "/").map(String.init)
    guard isRoots(path), let last = names.last, !names.contains(".."), !names.contains(".")
    else { throw .elsewhere }
    var reached = ""
    do {
      var at = try Directory(path: "/")
      try demandUnwritable(try at.descriptor.status(), at: "/", namespace)
      for name in names.dropLast() {
        reached += "/" + name
        at = try at.openDirectory(name)
        try demandUnwritable(try at.descriptor.status(), at: reached, namespace)
      }
      reached += "/" + last
      guard let found = try at.stamp(last), found.device == status.device,
        found.inode == status.inode
      else { throw HiddenOwner.replaced(reached) }
    } catch let doubt as HiddenOwner {
      throw doubt
    } catch {
      throw .replaced(reached)
    }
  }

  private static func demandUnwritable(
    _ status: FileStatus,
    at path: String,
    _ namespace: UserNamespace
  ) throws(HiddenOwner) {
    // A sandbox makes the directories between its mounts as this user.
    let isSafe =
      status.owner == namespace.hiddenUser || status.owner == 0 || status.owner == ThisProcess.user
    guard isSafe, status.mode & 0o022 == 0 else { throw .writable(path) }
  }

  private static func isRoots(_ path: String) -> Bool {
    if directories.contains(where: { contains($0, path) }) && !contains(local, path) { return true }
    // The owner of the running program's directory has chosen this program, too.
    guard let own = try? ThisProcess.programDirectory() else { return false }
    return contains(own, path)
  }

  /// Whether a path is a directory or in it, byte by byte.
  private static func contains(_ directory: String, _ path: String) -> Bool {
    path.utf8.starts(with: directory.utf8)
      && (path.utf8.count == directory.utf8.count || directory == "/"
        || path.utf8.dropFirst(directory.utf8.count).first == UInt8(ascii: "/"))
  }
}
