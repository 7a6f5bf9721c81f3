internal import Glibc
internal import System

/// Checks the PAM stack that verifies the system password.
enum PasswordStackChecks {
  private static let name = "password"
  private static let systemFile = "/etc/pam.d/thumblatch"
  private static let maximumFile = 64 * 1024
  private static let again =
    "install Thumblatch again, or write /etc/pam.d/thumblatch (SYSTEM PASSWORD in thumblatch(1))"

  static func run() -> [Finding] {
    let path = unsafe access(systemFile, F_OK) == 0 ? systemFile : ownFile
    return [check(path)]
  }

  /// The finding for the stack in a file; `nil` means that there is no file.
  static func check(_ path: String?) -> Finding {
    guard let path else {
      return .problem(name, "no PAM stack: thumblatch-presence is missing", remedy: again)
    }
    guard let text = contents(of: path) else {
      return .problem(name, "the PAM stack \(path) is missing or unreadable", remedy: again)
    }
    if let flaw = flaw(of: path) { return flaw }
    let modules = lines(of: text, depth: 0)
    if modules.contains(where: { $0.contains("pam_fprintd") }) {
      return .problem(
        name,
        "the PAM stack \(path) has pam_fprintd, which competes for the reader and accepts people"
          + " without a password",
        remedy: "remove pam_fprintd from it: use pam_unix.so or pam_sss.so, not common-auth"
      )
    }
    guard modules.contains(where: { $0.hasPrefix("auth") }) else {
      return .problem(name, "the PAM stack \(path) has no auth line", remedy: again)
    }
    return .ok(name, "checked by \(path)")
  }

  /// The stack beside the programs.
  private static var ownFile: String? {
    guard let program = try? InstalledProgram(forApp: "thumblatch-presence").path,
      let slash = program.lastIndex(of: "/")
    else { return nil }
    return program[..<slash] + "/pam.d/thumblatch"
  }

  private static func flaw(of path: String) -> Finding? {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    for checked in [path, directory] {
      var status = stat()
      guard unsafe stat(checked, &status) == 0 else { continue }
      guard !FileOwner.isHidden(status.st_uid) else {
        return .problem(
          name,
          "the owner of \(checked) is hidden in this sandbox",
          remedy: "run thumblatch doctor outside the sandbox"
        )
      }
      guard status.st_uid == 0 || status.st_uid == ThisProcess.user, status.st_mode & 0o022 == 0
      else {
        return .problem(
          name,
          "other users can change \(checked), and so accept any password",
          remedy: "find out who changed it; then: chown root \(checked); chmod go-w \(checked)"
        )
      }
    }
    return nil
  }

  /// The lines of a stack and of the stacks that it includes, without comments.
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
