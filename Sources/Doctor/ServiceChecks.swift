internal import Glibc
internal import System
internal import VaultClient

/// Checks the socket of the service, as far as a caller sees it.
enum ServiceChecks {
  private static let name = "service-socket"

  static func run(
    path: String = VaultLocation.serviceDirectory + "/" + VaultLocation.serviceSocket
  ) -> [Finding] {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      return [
        .problem(
          name,
          "\(path) is not a socket",
          remedy: "systemctl restart thumblatchd.socket",
          action: .run("systemctl restart thumblatchd.socket")
        )
      ]
    }
    guard status.st_uid == 0 || FileOwner(at: path)?.isRoot == true else {
      return [
        .problem(
          name,
          "\(path) belongs to user \(status.st_uid), not to root",
          remedy: "find out who made it; then: systemctl restart thumblatchd.socket",
          action: .run("systemctl restart thumblatchd.socket")
        )
      ]
    }
    return [.ok(name, path)]
  }
}
