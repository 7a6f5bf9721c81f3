internal import Configuration
internal import Glibc
internal import Providers
internal import System

/// Checks the provider files by reading each of them.
enum ProviderChecks {
  private static let name = "providers"

  static func run(
    system: String = ProviderDirectories.systemDirectory,
    environment: (String) -> String?
  ) -> [Finding] {
    do throws(ProviderFileError) {
      let files = try ProviderDirectories(system: system, environment: environment)
      var found = [directory(files.system, .system), directory(files.user, .user)]
        .compactMap(\.self)
      var count = 0
      for (provider, _) in try files.names() {
        do throws(ProviderFileError) {
          let (read, _) = try files.read(provider)
          count += 1
          guard read.issuer.isPlain else { continue }
          found.append(
            .warning(
              name,
              "\(provider) is insecure: plain http on this machine",
              remedy: "use it for development only, and https elsewhere"
            )
          )
        } catch {
          // Removed since the names were read.
          if case .missing = error { continue }
          found.append(
            .problem(name, "\(error)", remedy: error.remedy ?? "correct the file, or remove it")
          )
        }
      }
      return found.isEmpty ? [.ok(name, "all are readable (\(count))")] : found
    } catch {
      return [.problem(name, "\(error)", remedy: error.remedy)]
    }
  }

  private static func directory(
    _ path: String,
    _ source: ProviderDirectories.Source
  ) -> Finding? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let isSafe =
      status.st_uid == 0 || status.st_uid == ThisProcess.user
      || FileOwner(at: path)?.isRootOrOwn == true
    guard isSafe, status.st_mode & 0o022 == 0 else {
      let action: FindingAction? =
        source == .user && status.st_uid == ThisProcess.user ? .setMode(0o700, path: path) : nil
      // The service and all users read the machine's directory.
      let owner = source == .system ? 0 : ThisProcess.user
      let quoted = FindingAction.quoted(path)
      let byRoot = ", as root: chown \(owner) \(quoted); chmod go-w \(quoted)"
      return .problem(
        name,
        "other users can write to \(path), and choose where passwords go",
        remedy: "check the files in it; then" + (action.map { ": \($0.command)" } ?? byRoot),
        action: action
      )
    }
    return nil
  }
}
