internal import Configuration

/// What an access token is asked for: scopes, and whom it is for.
///
/// Two requests that mean the same are equal and have the same `key`, in whatever order their
/// scopes were written.
public struct ScopeRequest: Sendable, Hashable {
  /// The most resources; of scopes `ScopeList` says it.
  public static let maximumCount = 64
  /// The most bytes of all scopes together, of an audience, and of a resource.
  public static let maximumLength = 1024

  /// What the login asked for: nothing more is said.
  public static let standard = ScopeRequest(scopes: [], audience: nil, resources: [])

  /// The scopes: sorted by their bytes, each one once; empty for those of the login.
  public let scopes: [String]
  /// Whom the token is for, where the provider knows the parameter `audience`.
  public let audience: String?
  /// Whom the token is for (RFC 8707): absolute URIs, sorted, each one once.
  public let resources: [String]

  private init(scopes: [String], audience: String?, resources: [String]) {
    self.scopes = scopes
    self.audience = audience
    self.resources = resources
  }

  /// Takes scopes as people write them, separated by spaces.
  ///
  /// - Throws: `OAuthError.unusable` for what is no scope (RFC 6749, appendix A.4), no audience of
  ///   printable ASCII, or no absolute URI without fragment (RFC 8707, section 2).
  public init(
    scope: String?,
    audience: String? = nil,
    resources: [String] = []
  ) throws(OAuthError) {
    let text = scope ?? ""
    guard text.utf8.count <= Self.maximumLength, let words = ScopeList.scopes(in: text) else {
      throw OAuthError.unusable(
        what: "scope",
        rule: "printable ASCII without \" and \\, separated by spaces, at most "
          + "\(Self.maximumLength) bytes"
      )
    }
    if let audience, !Self.isPrintable(audience) {
      throw OAuthError.unusable(
        what: "audience",
        rule: "1 to \(Self.maximumLength) printable ASCII characters without spaces"
      )
    }
    guard resources.count <= Self.maximumCount, resources.allSatisfy(Self.isResource) else {
      throw OAuthError.unusable(what: "resource", rule: "an absolute URI without a fragment")
    }
    self.scopes = words
    self.audience = audience
    self.resources = Set(resources).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// What tells this request from others: empty for the standard one.
  ///
  /// Lines: the scopes, and then one for the audience and one for each resource. None of them can
  /// hold a line break, so two requests never have the same key.
  public var key: String {
    guard self != .standard else { return "" }
    var lines = [scopes.joined(separator: " ")]
    if let audience { lines.append("audience=\(audience)") }
    lines += resources.map { "resource=\($0)" }
    return lines.joined(separator: "\n")
  }

  /// The request that a key stands for; nil for what is none.
  public init?(key: String) {
    guard !key.isEmpty else {
      self = .standard
      return
    }
    let lines = key.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var audience: String?
    var resources: [String] = []
    for line in lines.dropFirst() {
      if line.hasPrefix("audience="), audience == nil {
        audience = String(line.dropFirst("audience=".count))
      } else if line.hasPrefix("resource=") {
        resources.append(String(line.dropFirst("resource=".count)))
      } else {
        return nil
      }
    }
    guard
      let request = try? ScopeRequest(scope: lines[0], audience: audience, resources: resources),
      request.key == key
    else { return nil }
    self = request
  }

  private static func isPrintable(_ text: String) -> Bool {
    (1...maximumLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func isResource(_ text: String) -> Bool {
    guard isPrintable(text), !text.contains("#"), let colon = text.firstIndex(of: ":"),
      let first = text.first, first.isLetter
    else { return false }
    let rest = text[colon...].dropFirst()
    return !rest.isEmpty
      && text[..<colon].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  }
}
