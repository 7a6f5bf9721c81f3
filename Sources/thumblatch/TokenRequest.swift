internal import Glibc
internal import System
internal import TokenFile
internal import ToolProtocols

/// The only commands that the front answers itself.
///
/// They are `[--private] token [NAME]`, `[--private] token|headers NAME --helper [--min-ttl TIME]
/// [--within TIME]`, with NAME and the options in any order, and `kube-credential NAME`. `name`
/// points into the arguments, which exist until the process ends.
///
/// It holds no references: with one, the runtime would make the metadata of its optional at each
/// start, which takes longer than the rest of the request.
@safe
struct TokenRequest: BitwiseCopyable {
  /// The least remaining lifetime of a token in a file, in seconds.
  static let leastLifetime: Int64 = 10
  /// The smallest `--within` that the front answers, in seconds.
  ///
  /// The engine's time limit here must fit into it.
  private static let leastPatience: Int64 = 2

  private let isPrivate: Bool
  let form: TokenForm
  /// The checked name of the account; `nil` for the default account.
  private(set) var name: UnsafePointer<CChar>?
  /// Whether another tool has run the command.
  ///
  /// Only an engine can tell whether the tool repeats its call, so no file answers it.
  private(set) var isHelper = false
  /// For how many seconds the token must stay valid; `nil` for 10.
  private(set) var minimumLifetime: Int64?

  /// Accepts exactly these forms; `nil` for anything else, including other options and invalid
  /// names.
  init?(arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    // execve(2): a caller may pass no arguments at all, not even a program name. Other tools call
    // the program by other names, and mean other verbs.
    guard let program = unsafe arguments[0], unsafe Self.isOwnName(program) else { return nil }
    var next = 1
    isPrivate = unsafe Self.equal(arguments[next], "--private")
    if isPrivate { next += 1 }
    if unsafe !isPrivate && Self.equal(arguments[next], "kube-credential") {
      guard let asked = TokenForm.askedByKubernetes(), let word = unsafe arguments[next + 1],
        unsafe Self.isName(word), unsafe arguments[next + 2] == nil
      else { return nil }
      // A client keeps the token until its end, and calls again only after a 401.
      (form, isHelper) = (asked, true)
      unsafe name = UnsafePointer(word)
      return
    }
    let isForHeaders = unsafe Self.equal(arguments[next], "headers")
    form = isForHeaders ? .headers : .line
    guard unsafe isForHeaders || Self.equal(arguments[next], "token") else { return nil }
    next += 1
    unsafe name = nil
    var isLimited = false
    while let word = unsafe arguments[next] {
      next += 1
      if unsafe Self.equal(word, "--helper"), !isHelper {
        isHelper = true
      } else if unsafe Self.equal(word, "--min-ttl"), minimumLifetime == nil {
        guard let lifetime = unsafe Self.seconds(arguments[next]) else { return nil }
        minimumLifetime = lifetime
        next += 1
      } else if unsafe Self.equal(word, "--within"), !isLimited {
        guard let limit = unsafe Self.seconds(arguments[next]), limit >= Self.leastPatience else {
          return nil
        }
        isLimited = true
        next += 1
      } else {
        guard unsafe name == nil, unsafe Self.isName(word) else { return nil }
        unsafe name = UnsafePointer(word)
      }
    }
    guard isHelper || (!isForHeaders && minimumLifetime == nil && !isLimited) else { return nil }
  }

  /// What the token is needed for, without characters that need an escape; `nil` if that is not
  /// stated.
  var reason: String? {
    if case .kubernetes = form { KubeCredential.reason } else { nil }
  }

  /// The result of a request.
  enum Outcome {
    /// The token was written to standard output.
    case written
    /// There is a token, but it could not be written.
    case lost
    /// A conversation with a tool has begun, which the command-line program goes on with.
    case begun
    /// Neither an engine nor the private vault's files gave a valid token.
    case notKnown
  }

  /// Writes an available token of the service or the private vault.
  func answer() -> Outcome {
    // The tool names the server that gets the token. The command-line program compares it.
    if unsafe getenv(word("CLAUDE_CODE_MCP_SERVER_URL")) != nil { return .notKnown }
    switch FrontVault.chosen(privately: isPrivate) {
    case nil: return .notKnown
    case .service: return EngineToken.answerByService(self)
    case .privateVault: break
    }
    // Without the variables that name the vault, the command-line program finds it.
    guard let state = StateFiles() else { return .notKnown }
    if isHelper { return EngineToken.answerByPrivateEngine(self, state) }
    if let name = unsafe name { return unsafe answer(name, state) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 65, alignment: 1) { text in
      // The last byte is reserved for the NUL after the name.
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: text[..<64])
      guard let count = unsafe state.read(word("@"), into: room),
        unsafe Self.isName(UnsafeRawBufferPointer(rebasing: text[..<count])),
        let name = text.baseAddress
      else { return .notKnown }
      unsafe text[count] = 0
      return unsafe answer(UnsafePointer(name.assumingMemoryBound(to: CChar.self)), state)
    }
  }

  private func answer(_ name: UnsafePointer<CChar>, _ state: borrowing StateFiles) -> Outcome {
    unsafe state.withToken(of: name, lasting: Self.leastLifetime) { token, _ in
      unsafe form.write(token, expiresAt: nil) ? .written : .lost
    } ?? .notKnown
  }

  /// Whether a path ends with the name of the front.
  private static func isOwnName(_ path: UnsafePointer<CChar>) -> Bool {
    guard let slash = unsafe strrchr(path, Int32(UInt8(ascii: "/"))) else {
      return unsafe equal(path, "thumblatch")
    }
    return unsafe equal(slash + 1, "thumblatch")
  }

  private static func isName(_ word: UnsafePointer<CChar>) -> Bool {
    unsafe isName(UnsafeRawBufferPointer(start: word, count: strnlen(word, 65)))
  }

  private static func isName(_ text: UnsafeRawBufferPointer) -> Bool {
    unsafe NameRule.accepts(text.bindMemory(to: UInt8.self).span)
  }

  /// The seconds of a duration with one unit, such as `90s` or `8m`; `nil` for any other text.
  private static func seconds(_ argument: UnsafePointer<CChar>?) -> Int64? {
    guard let argument = unsafe argument else { return nil }
    let length = unsafe strnlen(argument, 8)
    guard (2...7).contains(length) else { return nil }
    var number: Int64 = 0
    for index in 0..<(length - 1) {
      let byte = unsafe UInt8(bitPattern: argument[index])
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    switch unsafe UInt8(bitPattern: argument[length - 1]) {
    case UInt8(ascii: "s"): return number
    case UInt8(ascii: "m"): return number * 60
    case UInt8(ascii: "h"): return number * 3600
    default: return nil
    }
  }

  private static func equal(_ argument: UnsafePointer<CChar>?, _ text: StaticString) -> Bool {
    guard let argument = unsafe argument else { return false }
    return unsafe strcmp(argument, word(text)) == 0
  }
}

/// A text of the program as a C string; a `String` would have to be copied first.
func word(_ text: StaticString) -> UnsafePointer<CChar> {
  unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
