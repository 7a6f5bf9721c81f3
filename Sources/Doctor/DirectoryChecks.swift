internal import Glibc
internal import System
internal import VaultClient

/// Checks the state directory, as far as a caller sees it.
struct DirectoryChecks {
  private static let name = "state-directory"
  /// Less free space than this is a problem: a refresh needs room before it sends anything.
  private static let leastBytes: UInt64 = 1 << 20
  /// Less free space than this is a warning.
  private static let fewBytes: UInt64 = 16 << 20

  let environment: (String) -> String?

  func run() -> [Finding] {
    let path: String
    do {
      path = try StateLocation(environment: environment).path
    } catch {
      return [.problem(Self.name, "\(error)", remedy: error.remedy)]
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      guard errno == ENOENT else {
        return [
          .problem(
            Self.name,
            "\(SystemError("stat", code: errno, subject: path))",
            remedy: "find out whose it is; use one of your own: THUMBLATCH_STATE_DIR=..."
          )
        ]
      }
      return [Self.missing(path)]
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    return [check(path, status)] + (isDirectory ? StoreFileChecks.run(in: path) : [])
      + ((try? FreeSpace(path: path)).map {
        [Self.space(bytes: $0.bytes, files: $0.files, on: path)]
      } ?? [])
  }

  /// A missing directory is made at the first use, if this user may write to what exists above it.
  private static func missing(_ path: String) -> Finding {
    var above = path[...]
    repeat {
      above = above[..<(above.lastIndex(of: "/") ?? above.startIndex)]
    } while unsafe !above.isEmpty && access(String(above), F_OK) != 0
    let parent = above.isEmpty ? "/" : String(above)
    guard unsafe access(parent, W_OK | X_OK) == 0 else {
      return .problem(
        name,
        "\(path) cannot be made: this user may not write to \(parent)",
        remedy: "use a directory of your own: THUMBLATCH_STATE_DIR=..."
      )
    }
    return .ok(name, "\(path) will be created on first use")
  }

  private func check(_ path: String, _ status: stat) -> Finding {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: break
    case S_IFLNK:
      return .problem(
        Self.name,
        "\(path) is a symbolic link",
        remedy: "remove it, or set THUMBLATCH_STATE_DIR to the directory itself"
      )
    default:
      return .problem(
        Self.name,
        "\(path) is not a directory",
        remedy: "find out who made it, then move it away"
      )
    }
    guard status.st_uid == ThisProcess.user else {
      return .problem(
        Self.name,
        "\(path) belongs to user \(status.st_uid)",
        remedy: "use a directory of your own: THUMBLATCH_STATE_DIR=..."
      )
    }
    let mode = status.st_mode & 0o777
    guard mode == 0o700 else {
      let shown = String(mode, radix: 8)
      return .problem(
        Self.name,
        mode & 0o077 == 0
          ? "you cannot use \(path) yourself (mode \(shown))"
          : "other users can enter \(path) (mode \(shown))",
        remedy: "find out who used it; then: chmod 700 \(FindingAction.quoted(path))",
        action: .setMode(0o700, path: path)
      )
    }
    return .ok(Self.name, path)
  }

  static func space(bytes: UInt64, files: UInt64?, on path: String) -> Finding {
    let name = "free-space"
    let remedy = "make room on the file system of \(path)"
    if bytes < leastBytes || files == 0 {
      let what = files == 0 ? "no more files can be created" : "less than 1 MiB is free"
      return .problem(name, "\(what): nothing can be refreshed", remedy: remedy)
    }
    guard bytes < fewBytes else { return .ok(name, "there is enough") }
    return .warning(name, "only \(bytes >> 20) MiB are free", remedy: remedy)
  }
}
