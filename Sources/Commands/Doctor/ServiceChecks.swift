internal import Glibc
internal import VaultClient
internal import VaultInterface

extension Session {
  /// Whether the vault is in a directory of this user.
  var usesPrivateVault: Bool { location == nil || location == .privateVault }
}

/// Checks the socket of the service, as far as a caller sees it.
enum ServiceChecks {
  private static let name = "service-socket"

  static func run(_ location: VaultLocation?) -> [Finding] {
    // Any other socket is named by a variable, and `EnvironmentChecks` reports that one.
    guard location == .service else { return [] }
    let path = VaultLocation.serviceDirectory + "/" + VaultLocation.serviceSocket
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      return [
        .problem(name, "\(path) is no socket", remedy: "systemctl restart thumblatchd.socket")
      ]
    }
    guard status.st_uid == 0 else {
      return [
        .problem(
          name,
          "\(path) belongs to user \(status.st_uid), not to root",
          remedy: "find out who made it; then: systemctl restart thumblatchd.socket"
        )
      ]
    }
    return [.ok(name, path)]
  }
}
