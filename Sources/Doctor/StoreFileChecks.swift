internal import Glibc
internal import System

/// Checks the files of the store as a caller sees them: the engine does not start if one is unsafe.
enum StoreFileChecks {
  private static let name = "store-files"
  /// Either may be missing: a new vault has none, and the engine makes and removes the write-ahead
  /// log.
  private static let files = ["vault.db", "vault.db-wal"]

  /// Checks the files in the state directory, without following links.
  static func run(in directory: String) -> [Finding] {
    let found = files.compactMap { check("\(directory)/\($0)") }
    let bad = found.filter { $0.severity != .ok }
    return bad.isEmpty ? Array(found.prefix(1)) : bad
  }

  private static func check(_ path: String) -> Finding? {
    var status = stat()
    // If the file cannot be examined, the check of the directory reports the cause.
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
        remedy: "find out who wrote to it; then, as root: chown \(ThisProcess.user) "
          + FindingAction.quoted(path),
        action: .run("chown \(ThisProcess.user) \(FindingAction.quoted(path))")
      )
    }
    let mode = status.st_mode & 0o7777
    guard mode == 0o600 else {
      return .problem(
        name,
        "\(path) has mode \(String(mode, radix: 8)), not 600",
        remedy: "find out who could use it; then: chmod 600 \(FindingAction.quoted(path))",
        action: .setMode(0o600, path: path)
      )
    }
    return .ok(name, "only you can use \(path)")
  }
}
