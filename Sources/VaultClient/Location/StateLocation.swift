internal import Configuration
internal import Glibc
internal import MachineFiles
package import System

/// The location of the private vault's state, found in the environment.
package struct StateLocation: Sendable, Equatable {
  private static let ownDirectory = "use a directory of your own: THUMBLATCH_STATE_DIR=..."

  /// An absolute path; it need not exist yet.
  package let path: String

  /// Reads THUMBLATCH_STATE_DIR, XDG_STATE_HOME and HOME, in this order.
  ///
  /// A relative XDG_STATE_HOME is ignored, as the XDG Base Directory Specification requires. An
  /// empty variable counts as unset.
  package init(
    environment: (String) -> String? = { ThisProcess.environment($0) }
  ) throws(VaultClientError) {
    func value(_ name: String) throws(VaultClientError) -> String? {
      guard let text = environment(name), !text.isEmpty else { return nil }
      // U+FFFD replaces bytes that are not UTF-8. The path would then differ from that of the
      // front, which uses the bytes.
      guard !text.unicodeScalars.contains("\u{FFFD}") else { throw .notText(variable: name) }
      return text
    }
    if let chosen = try value("THUMBLATCH_STATE_DIR") {
      guard chosen.hasPrefix("/") else { throw .notAbsolute(variable: "THUMBLATCH_STATE_DIR") }
      path = chosen
    } else if let state = try value("XDG_STATE_HOME"), state.hasPrefix("/") {
      path = state + "/thumblatch"
    } else if let home = try value("HOME"), home.hasPrefix("/") {
      path = home + "/.local/state/thumblatch"
    } else {
      throw .noStateDirectory
    }
  }

  /// Opens the directory, creates it with mode 0700 if it is missing, and checks the open
  /// descriptor.
  ///
  /// The engine makes the same checks. Here they stop a caller from connecting to a socket that
  /// another user may have put there.
  package func open() throws(VaultClientError) -> Directory {
    let directory: Directory
    do {
      directory = try Directory.make(path: path)
    } catch {
      switch error.code {
      case ELOOP, ENOTDIR:
        throw .unsafeDirectory(
          path: path,
          reason: "it is a symbolic link or not a directory",
          remedy: "remove it, or set THUMBLATCH_STATE_DIR to the directory itself"
        )
      case EACCES where error.call != "mkdir":
        throw .unsafeDirectory(
          path: path,
          reason: "this user may not enter it, or what leads to it",
          remedy: "find out whose it is; use a directory of your own: THUMBLATCH_STATE_DIR=..."
        )
      case EACCES, EPERM, EROFS, ENOENT, ENAMETOOLONG:
        throw .unsafeDirectory(path: path, reason: "\(error)", remedy: Self.ownDirectory)
      default: throw .system(error)
      }
    }
    try Self.check(directory, at: path)
    return directory
  }

  /// Checks that only this user may enter an open directory.
  static func check(
    _ directory: borrowing Directory,
    at path: String
  ) throws(VaultClientError) {
    let status: FileStatus
    do { status = try directory.descriptor.status() } catch { throw .system(error) }
    // The vault would look as if it had no accounts: they belong to this user's number elsewhere.
    guard !FileOwner.isHidden(status.owner) else {
      throw .unsafeDirectory(
        path: path,
        reason: "this sandbox hides its owner",
        remedy: "map your own user in the sandbox: bwrap, or unshare --map-current-user"
      )
    }
    guard status.owner == ThisProcess.user else {
      throw .unsafeDirectory(
        path: path,
        reason: "it belongs to user \(status.owner)",
        remedy: Self.ownDirectory
      )
    }
    guard status.mode & 0o077 == 0 else {
      throw .unsafeDirectory(
        path: path,
        reason: "other users may enter it (mode \(String(status.mode, radix: 8)))",
        remedy: "chmod 700 \(path)"
      )
    }
  }
}

/// Whether the administrator allows vaults beside the service (thumblatch.conf(5), `private`).
///
/// The clients of this package ask before they use or start a private engine. This prevents
/// mistakes, not intent: other programs can keep tokens anywhere. A private engine that already
/// runs still serves programs that do not check this rule.
enum PrivateRule {
  /// - Throws: `privateForbidden`, also if the rule cannot be read: it may forbid this.
  static func demandAllowed(
    by machine: MachineDirectory = MachineDirectory()
  ) throws(VaultClientError) {
    let reason: String?
    do throws(ConfigurationError) {
      reason = try refusal(by: machine)
    } catch {
      throw .privateForbidden(
        reason: "cannot read whether private vaults are allowed: \(error)"
      )
    }
    if let reason { throw .privateForbidden(reason: reason) }
  }

  private static func refusal(by machine: MachineDirectory) throws(ConfigurationError) -> String? {
    let files = try machine.policyFiles()
    guard try files.policy().privateVaults == .never else { return nil }
    let key = Policy.Key.privateVaults
    let location = files.location(of: key).map { " in \($0)" } ?? ""
    return "private vaults are not allowed (\(key.rawValue)\(location))"
  }
}
