internal import Glibc
internal import System
internal import VaultInterface

/// Checks that the programs exist, and that no other user can change them.
enum ProgramChecks {
  private static let names = ["thumblatchd", "thumblatch-exchange", "thumblatch-presence"]

  static func run() -> [Finding] {
    let found = names.compactMap(check)
    guard found.isEmpty else { return found }
    return [.ok("programs", "all of them are there, and only you or root can change them")]
  }

  private static func check(_ name: String) -> Finding? {
    do throws(InstalledProgram.Flaw) {
      let program = try InstalledProgram(forApp: name)
      guard unsafe access(program.path, X_OK) == 0 else {
        return .problem(
          "programs",
          "\(program.path) cannot be run",
          remedy: "chmod 755 \(program.path)"
        )
      }
      return nil
    } catch {
      switch error {
      case .missing(_, let places):
        return .problem(
          "programs",
          "\(name) is missing: it is looked for in \(places.joined(separator: " and "))",
          remedy: "install Thumblatch again: its programs lie beside each other"
        )
      case .unsafe(let path, let reason):
        return .problem(
          "programs",
          "\(path) is not used: \(reason)",
          remedy: "find out who changed it; then install again, or: chmod go-w \(path)"
        )
      }
    }
  }
}

/// Checks the PAM stack that verifies the system password.
enum PasswordStackChecks {
  private static let systemFile = "/etc/pam.d/thumblatch"
  private static let maximumFile = 64 * 1024

  static func run() -> [Finding] {
    let path = unsafe access(systemFile, F_OK) == 0 ? systemFile : ownFile
    guard let path else {
      return [.problem("password", "no PAM stack: thumblatch-presence is missing", remedy: again)]
    }
    guard let text = contents(of: path) else {
      return [.problem("password", "the PAM stack \(path) is missing or unreadable", remedy: again)]
    }
    if let flaw = flaw(of: path) { return [flaw] }
    let modules = lines(of: text, depth: 0)
    if modules.contains(where: { $0.contains("pam_fprintd") }) {
      return [
        .problem(
          "password",
          "the PAM stack \(path) asks pam_fprintd, which fights for the reader and lets people in "
            + "without a password",
          remedy: "take pam_fprintd out of it: name pam_unix.so or pam_sss.so, not common-auth"
        )
      ]
    }
    guard modules.contains(where: { $0.hasPrefix("auth") }) else {
      return [
        .problem("password", "the PAM stack \(path) has no auth line", remedy: again)
      ]
    }
    return [.ok("password", "checked by \(path)")]
  }

  private static let again =
    "install Thumblatch again, or write /etc/pam.d/thumblatch (SYSTEM PASSWORD in thumblatch(1))"

  /// The stack beside the programs.
  private static var ownFile: String? {
    guard let program = try? InstalledProgram(forApp: "thumblatch-presence").path,
      let slash = program.lastIndex(of: "/")
    else { return nil }
    return program[..<slash] + "/pam.d/thumblatch"
  }

  private static func flaw(of path: String) -> Finding? {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    for place in [path, directory] {
      var status = stat()
      guard unsafe stat(place, &status) == 0 else { continue }
      guard status.st_uid == 0 || status.st_uid == ThisProcess.user, status.st_mode & 0o022 == 0
      else {
        return .problem(
          "password",
          "\(place) could be changed by other users, who could let themselves in",
          remedy: "find out who did; then: chown root \(place); chmod go-w \(place)"
        )
      }
    }
    return nil
  }

  /// The lines of a stack and of those that it includes, without comments.
  private static func lines(of text: String, depth: Int) -> [String] {
    var found: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard let first = words.first else { continue }
      found.append(words.joined(separator: " "))
      let isInclude =
        first == "@include" || (words.count > 2 && ["include", "substack"].contains(words[1]))
      guard isInclude, depth < 4, let name = words.last, !name.contains("/"),
        let more = contents(of: "/etc/pam.d/" + name)
      else { continue }
      found += lines(of: more, depth: depth + 1)
    }
    return found
  }

  private static func contents(of path: String) -> String? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    guard let bytes = try? file.readAll(limit: maximumFile) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
