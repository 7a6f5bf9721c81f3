internal import Configuration
internal import Glibc
internal import System
internal import VaultClient
internal import VaultInterface

/// Checks the state directory, as far as a caller sees it; nothing is created.
struct DirectoryChecks {
  /// Less free space than this is a problem: a refresh needs room before it sends anything.
  private static let leastBytes: UInt64 = 1 << 20
  /// Less free space than this is a warning.
  private static let fewBytes: UInt64 = 16 << 20

  let environment: (String) -> String?

  func run() -> [Finding] {
    let name = "state-directory"
    let path: String
    do {
      path = try StateLocation(environment: environment).path
    } catch {
      return [.problem(name, "\(error)", remedy: error.remedy)]
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      guard errno == ENOENT else {
        return [
          .problem(
            name,
            "\(SystemError("stat", code: errno, subject: path))",
            remedy: "find out whose it is; use one of your own: THUMBLATCH_STATE_DIR=..."
          )
        ]
      }
      return [.ok(name, "\(path) is made at the first use")]
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    return [judgement(of: path, status)]
      + (isDirectory ? StoreFileChecks.run(in: path) : []) + space(on: path)
  }

  private func judgement(of path: String, _ status: stat) -> Finding {
    let name = "state-directory"
    switch status.st_mode & S_IFMT {
    case S_IFDIR: break
    case S_IFLNK:
      return .problem(
        name,
        "\(path) is a symbolic link",
        remedy: "remove it, or set THUMBLATCH_STATE_DIR to the directory itself"
      )
    default:
      return .problem(
        name,
        "\(path) is not a directory",
        remedy: "move it away, after you have seen who made it"
      )
    }
    guard status.st_uid == ThisProcess.user else {
      return .problem(
        name,
        "\(path) belongs to user \(status.st_uid)",
        remedy: "use a directory of your own: THUMBLATCH_STATE_DIR=..."
      )
    }
    let mode = status.st_mode & 0o777
    guard mode == 0o700 else {
      let shown = String(mode, radix: 8)
      return .problem(
        name,
        mode & 0o077 == 0
          ? "you may not use \(path) yourself (mode \(shown))"
          : "other users may enter \(path) (mode \(shown))",
        remedy: "find out who was in it; then: chmod 700 \(path)"
      )
    }
    return .ok(name, path)
  }

  private func space(on path: String) -> [Finding] {
    guard let free = try? FreeSpace(path: path) else { return [] }
    let remedy = "make room on the file system of \(path)"
    if free.bytes < Self.leastBytes || free.files == 0 {
      let what = free.files == 0 ? "no more files" : "less than 1 MiB is left"
      return [.problem("free-space", "\(what): nothing can be refreshed", remedy: remedy)]
    }
    if free.bytes < Self.fewBytes {
      return [.warning("free-space", "only \(free.bytes >> 20) MiB are left", remedy: remedy)]
    }
    return [.ok("free-space", "there is room")]
  }
}

/// Checks the provider files by reading each of them.
enum ProviderChecks {
  static func run(environment: (String) -> String?) -> [Finding] {
    let name = "providers"
    do throws(CommandError) {
      let files = try ProviderFiles(environment: environment)
      var found = [files.system, files.user].compactMap(directory)
      var count = 0
      for (provider, _) in try files.names() {
        do throws(CommandError) {
          let (read, _) = try files.read(provider)
          count += 1
          if read.issuer.isPlain {
            found.append(
              .warning(
                name,
                "\(provider) is insecure: \(ProviderText.insecure)",
                remedy: "use it for development alone; elsewhere: https"
              )
            )
          }
        } catch {
          // Removed since the names were read.
          if error.code == .notFound { continue }
          found.append(
            .problem(name, error.message, remedy: error.hint ?? "correct the file, or remove it")
          )
        }
      }
      return found.isEmpty ? [.ok(name, "all can be read (\(count))")] : found
    } catch {
      return [.problem(name, error)]
    }
  }

  private static func directory(_ path: String) -> Finding? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    guard status.st_uid == 0 || status.st_uid == ThisProcess.user, status.st_mode & 0o022 == 0
    else {
      return .problem(
        "providers",
        "\(path) could be written by others, who could choose where passwords go",
        remedy: "look at what lies in it; then: chmod 700 \(path)"
      )
    }
    return nil
  }
}
