internal import Configuration

/// The scopes and the audience that an access token is requested for.
///
/// Two requests with the same meaning are equal and have the same `key`, in any order of their
/// scopes.
public struct ScopeRequest: Sendable, Hashable {
  /// The most resources; `ScopeList` limits the scopes.
  public static let maximumCount = 64
  /// The most bytes of all scopes together, of an audience, and of a resource.
  public static let maximumLength = 1024

  /// The scopes and audience of the sign-in.
  public static let standard = ScopeRequest(scopes: [], audience: nil, resources: [])

  /// The scopes: sorted by their bytes, without duplicates; empty for those of the sign-in.
  public let scopes: [String]
  /// The audience of the token, for providers with the parameter `audience`.
  public let audience: String?
  /// The resources of the token (RFC 8707): absolute URIs, sorted, without duplicates.
  public let resources: [String]

  private init(scopes: [String], audience: String?, resources: [String]) {
    self.scopes = scopes
    self.audience = audience
    self.resources = resources
  }

  /// Takes scopes separated by spaces.
  ///
  /// - Throws: `OAuthError.unusable` for an invalid scope (RFC 6749, appendix A.4), an audience
  ///   that is not printable ASCII, or a resource that is not an absolute URI without a fragment
  ///   (RFC 8707, section 2).
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

  /// A text that identifies this request; empty for the standard one.
  ///
  /// Its lines are the scopes, then the audience and each resource. None of them can hold a line
  /// break, so two different requests never share a key.
  public var key: String {
    guard self != .standard else { return "" }
    var lines = [scopes.joined(separator: " ")]
    if let audience { lines.append("audience=\(audience)") }
    lines += resources.map { "resource=\($0)" }
    return lines.joined(separator: "\n")
  }

  /// The request of a key; `nil` if the key is not valid.
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
