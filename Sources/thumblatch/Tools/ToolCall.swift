internal import Glibc
internal import TokenFile

/// The requests of other tools that the front answers itself.
///
/// They are those of git, docker, cargo, Bazel, Terraform and kubectl for a token that is valid
/// now. The command-line program does everything else, with the same input: it also refuses,
/// reports and asks.
struct ToolCall {
  enum Tool {
    case git, docker, bazel, cargo
    case terraform(host: String)
    case kubernetes(account: String)
  }

  let tool: Tool

  /// Accepts exactly the words of such a request, by the name of a helper or by the verb; `nil` for
  /// anything else.
  init?(arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    guard let program = unsafe arguments[0] else { return nil }
    let slash = unsafe strrchr(program, Int32(UInt8(ascii: "/")))
    let name = unsafe UnsafePointer(slash.map { unsafe $0 + 1 } ?? program)
    let isOwnName = unsafe Self.equal(name, "thumblatch")
    let next = isOwnName ? 2 : 1
    guard let verb = unsafe isOwnName ? arguments[1].map({ unsafe UnsafePointer($0) }) : name,
      let first = unsafe arguments[next]
    else { return nil }
    let second = unsafe arguments[next + 1]
    let tool: Tool?
    if let second = unsafe second {
      let expected: StaticString =
        isOwnName ? "terraform-credential" : "terraform-credentials-thumblatch"
      guard unsafe Self.equal(verb, expected), unsafe Self.equal(first, "get"),
        unsafe arguments[next + 2] == nil, unsafe second[0] != CChar(UInt8(ascii: "-")),
        let host = unsafe String(validatingCString: second)
      else { return nil }
      tool = .terraform(host: host)
    } else if isOwnName, unsafe Self.equal(verb, "kube-credential") {
      tool = unsafe Self.account(first).map { .kubernetes(account: $0) }
    } else if unsafe Self.equal(first, "get") {
      // An array of them would take longer than all comparisons.
      let isGit = unsafe Self.isVerb(verb, "git-credential", isOwnName)
      let isDocker = unsafe !isGit && Self.isVerb(verb, "docker-credential", isOwnName)
      let isBazel = unsafe !isGit && !isDocker && Self.isVerb(verb, "bazel-credential", isOwnName)
      tool = isGit ? .git : isDocker ? .docker : isBazel ? .bazel : nil
    } else if unsafe Self.equal(first, "--cargo-plugin") {
      tool = unsafe Self.isVerb(verb, "cargo-credential", isOwnName) ? .cargo : nil
    } else {
      tool = nil
    }
    guard let tool else { return nil }
    self.tool = tool
  }

  /// The name of an account.
  private static func account(_ word: UnsafePointer<CChar>) -> String? {
    let text = unsafe UnsafeRawBufferPointer(start: word, count: strnlen(word, 65))
    guard unsafe NameRule.accepts(text.bindMemory(to: UInt8.self).span) else { return nil }
    return unsafe String(decoding: text, as: UTF8.self)
  }

  /// Whether a word is a verb, or the name of the helper that stands for it.
  private static func isVerb(
    _ word: UnsafePointer<CChar>,
    _ verb: StaticString,
    _ isOwnName: Bool
  ) -> Bool {
    let count = verb.utf8CodeUnitCount
    guard unsafe strncmp(word, thumblatch.word(verb), count) == 0 else { return false }
    return unsafe equal(word + count, isOwnName ? "" : "-thumblatch")
  }

  private static func equal(_ argument: UnsafePointer<CChar>, _ text: StaticString) -> Bool {
    unsafe strcmp(argument, word(text)) == 0
  }
}
