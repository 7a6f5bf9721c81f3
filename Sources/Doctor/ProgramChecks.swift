internal import Glibc
internal import System

/// Checks that the programs exist, and that no other user can change them.
enum ProgramChecks {
  private static let check = "programs"
  private static let names = [
    "thumblatchd", "thumblatch-exchange", "thumblatch-presence", "thumblatch-secret",
  ]

  static func run() -> [Finding] {
    let found = names.compactMap { name in
      Result { () throws(InstalledProgram.Flaw) in try InstalledProgram(forApp: name) }
    }.compactMap(finding)
    return found.isEmpty ? [fine] : found
  }

  /// The finding if nothing is wrong with any program.
  static let fine = Finding.ok(check, "all are installed, and only you or root can change them")

  /// The program made executable again: by its owner, or with a command of root.
  private static func mending(_ path: String) -> FindingAction {
    var status = stat()
    let isOwn = unsafe stat(path, &status) == 0 && status.st_uid == ThisProcess.user
    let action = FindingAction.setMode(0o755, path: path)
    return isOwn ? action : .run(action.command)
  }

  /// The finding for a program, or for its flaw; `nil` if nothing is wrong.
  static func finding(_ program: Result<InstalledProgram, InstalledProgram.Flaw>) -> Finding? {
    switch program {
    case .success(let program):
      guard unsafe access(program.path, X_OK) != 0 else { return nil }
      return .problem(
        check,
        "\(program.path) cannot be executed",
        remedy: FindingAction.setMode(0o755, path: program.path).command,
        action: mending(program.path)
      )
    case .failure(.missing(let name, let places)):
      return .problem(
        check,
        "\(name) is missing: it is not in \(places.joined(separator: " or "))",
        remedy: "install Thumblatch again, with all programs in one directory"
      )
    case .failure(.unsafe(let path, let reason)):
      return .problem(
        check,
        "\(path) is not used: \(reason)",
        remedy: "find out who changed it; then install again, or: chmod go-w "
          + FindingAction.quoted(path)
      )
    }
  }
}
