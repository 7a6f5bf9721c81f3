internal import Glibc
internal import System
internal import VaultInterface

/// Checks the files of the store as a caller sees them: the engine does not start if one is unsafe.
enum StoreFileChecks {
  private static let name = "store-files"
  /// Either may be missing: a new vault has none, and the engine makes and removes the write-ahead
  /// log.
  private static let files = ["vault.db", "vault.db-wal"]

  /// Checks the files in the state directory, without following links.
  static func run(in directory: String) -> [Finding] {
    let looks = files.compactMap { judgement(of: "\(directory)/\($0)") }
    let bad = looks.filter { $0.level != .ok }
    return bad.isEmpty ? Array(looks.prefix(1)) : bad
  }

  private static func judgement(of path: String) -> Finding? {
    var status = stat()
    // If it cannot be looked at, the fault is the directory's, and is reported there.
    guard unsafe lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return .problem(
        name,
        "\(path) is not a regular file",
        remedy: "find out who put it there; then restore the whole directory from a copy"
      )
    }
    guard status.st_uid == ThisProcess.user else {
      return .problem(
        name,
        "\(path) belongs to user \(status.st_uid)",
        remedy: "find out who wrote to it; then, as root: chown \(ThisProcess.user) \(path)"
      )
    }
    let mode = status.st_mode & 0o7777
    guard mode == 0o600 else {
      return .problem(
        name,
        "\(path) has mode \(String(mode, radix: 8)), not 600",
        remedy: "find out who could use it; then: chmod 600 \(path)"
      )
    }
    return .ok(name, "\(path) is yours alone")
  }
}
