internal import Configuration
internal import PlainText

/// The passwords in a file of `git credential-store`: one URL a line (git-credential-store(1)).
enum StoredCredentials {
  private static let onePath = "it is for one path, and an account is for a whole host"
  private static let tokenAsUser =
    "its user name is a token; keep that with thumblatch store NAME --host HOST, and remove it there"

  /// The placeholder for a password beside a token.
  private static let placeholders = ["x-oauth-basic", "x-access-token"]
  /// How tokens of forges begin.
  private static let tokenPrefixes = [
    "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-",
  ]

  static func entries(in bytes: [UInt8]) -> [ForeignEntry] {
    var entries: [ForeignEntry] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
      if let entry = entry(bytes[start..<end]) { entries.append(entry) }
      start = end
    }
    return entries
  }

  /// The entry of a line; `nil` for a line that git leaves out.
  private static func entry(_ line: ArraySlice<UInt8>) -> ForeignEntry? {
    let text = line.prefix { $0 != UInt8(ascii: "\n") }
    let marks = Array("://".utf8)
    guard let scheme = text.indices.first(where: { text[$0...].starts(with: marks) }) else {
      return nil
    }
    let rest = text[(scheme + marks.count)...]
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    guard let at = authority.firstIndex(of: UInt8(ascii: "@")),
      let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")),
      let user = decoded(authority[..<colon]), let password = decoded(authority[(colon + 1)..<at]),
      let name = decoded(authority[(at + 1)...]), !user.isEmpty, !password.isEmpty
    else { return nil }
    let path = rest.dropFirst(authority.count)
    let url = String(decoding: text[..<scheme], as: UTF8.self) + "://" + name
    let removal = ForeignEntry.Removal.bytes([line.startIndex..<line.endIndex])
    if isToken(user, beside: password) {
      return ForeignEntry(name: name, content: .unmovable(tokenAsUser), removal: removal)
    }
    let called = "\(user)@\(name)"
    guard path.isEmpty || path.elementsEqual("/".utf8) else {
      return ForeignEntry(name: called, content: .unmovable(onePath), removal: removal)
    }
    guard let host = try? TokenHost(ofURL: url) else {
      return ForeignEntry(
        name: called,
        content: .unmovable("its host is reached without TLS"),
        removal: removal
      )
    }
    return ForeignEntry(
      name: called,
      content: .secret(ForeignSecret(host: host, username: user, text: password)),
      removal: removal
    )
  }

  /// Whether a user name is a token, which must not be shown.
  private static func isToken(_ user: String, beside password: String) -> Bool {
    let isOldToken = user.utf8.count == 40 && user.allSatisfy(\.isHexDigit)
    return isOldToken || placeholders.contains(password)
      || tokenPrefixes.contains { user.hasPrefix($0) }
  }

  /// A text with percent signs decoded; `nil` if it is not UTF-8, has a control character, or a
  /// percent sign without two digits.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let result = PercentEncoding.decoded(bytes),
      result.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    return String(validating: result, as: UTF8.self)
  }
}
