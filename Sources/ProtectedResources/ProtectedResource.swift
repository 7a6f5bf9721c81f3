internal import Configuration
package import JSON
internal import PlainText
package import SecretMemory

/// A resource's metadata (RFC 9728).
package struct ProtectedResource: Sendable, Equatable {
  /// The most bytes of a document.
  package static let maximumCount = 64 * 1024
  /// The most authorization servers.
  static let maximumIssuers = 16

  /// The resource as the document writes it: the URL of the request, or one that it is inside of.
  package let resource: String
  /// Whether the resource is more than the URL of the request.
  package let isWider: Bool
  /// The issuers of its authorization servers, in the order of the document.
  package let issuers: [String]
  /// The scopes on offer; `nil` if the document does not say.
  package let scopes: [String]?

  private static let root = "/.well-known/oauth-protected-resource"

  /// The URLs at which the document may be, the likelier one first (RFC 9728, sections 3.1 and
  /// 5.1).
  ///
  /// - Parameters:
  ///   - url: the URL of the resource.
  ///   - challenge: the challenge of the resource, if there was one.
  /// - Throws: `ResourceError.otherOrigin` if the challenge names a URL of another origin.
  /// - Returns: one or two URLs.
  package static func locations(
    of url: String,
    challenge: BearerChallenge?
  ) throws(ResourceError) -> [String] {
    guard let home = try? RequestTarget(url) else { throw .notAURL }
    if let named = challenge?.resourceMetadata {
      guard let target = try? RequestTarget(named), target.origin == home.origin else {
        throw .otherOrigin(found: PlainText.line(named, limit: 300))
      }
      return [target.text]
    }
    let root = home.origin + root
    let path = home.path.hasSuffix("/") ? home.path.dropLast() : home.path
    return path.isEmpty ? [root] : [root + path, root]
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - body: the document.
  ///   - url: the URL of the resource that was asked.
  ///   - location: the URL of the document, one of `locations`.
  /// - Throws: `ResourceError`. A document of another resource is refused, because its tokens would
  ///   be for that one (RFC 9728, section 3.3). Only the document at the root of the origin may
  ///   name a wider resource: any other may be written by one of several tenants.
  package init(
    _ body: borrowing SecretBytes,
    for url: String,
    at location: String
  ) throws(ResourceError) {
    guard body.count <= Self.maximumCount else { throw .tooLong }
    guard case .object(let object)? = try? JSONReader.read(body, JSONRules(keepsRest: true)) else {
      throw .notAnObject
    }
    guard let home = try? RequestTarget(url) else { throw .notAURL }
    do throws(JSONError) {
      resource = try object.string("resource")
      issuers = try Self.texts("authorization_servers", object) ?? []
      scopes = try Self.texts("scopes_supported", object)
      if let methods = try Self.texts("bearer_methods_supported", object), !methods.isEmpty,
        !methods.contains("header")
      {
        throw .wrongType("bearer_methods_supported")
      }
    } catch {
      throw .member(error)
    }
    guard RequestTarget.isResource(resource), let target = try? RequestTarget(resource),
      home.isInside(target), target.isInside(home) || location == home.origin + Self.root
    else { throw .otherResource(found: PlainText.line(resource, limit: 300)) }
    isWider = !target.isInside(home)
    guard (1...Self.maximumIssuers).contains(issuers.count) else { throw .noIssuer }
  }

  private static func texts(_ name: String, _ object: JSONObject) throws(JSONError) -> [String]? {
    guard let values = try object.optionalArray(name) else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw .wrongType(name) }
      texts.append(text)
    }
    return texts
  }
}

/// Why the metadata of a resource is not used.
package enum ResourceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The resource has no URL that can be asked.
  case notAURL
  /// More than `ProtectedResource.maximumCount` bytes.
  case tooLong
  /// Not one JSON object, or an object with a repeated member.
  case notAnObject
  /// A member is missing, of the wrong type, or not for this client.
  case member(JSONError)
  /// The challenge names a document of another origin; `found` is fit to be shown.
  case otherOrigin(found: String)
  /// The document is of another resource; `found` is fit to be shown.
  case otherResource(found: String)
  /// The document names no authorization server, or too many.
  case noIssuer

  /// One line.
  package var description: String {
    switch self {
    case .notAURL: "the server has no URL that can be asked"
    case .tooLong: "the server's metadata is too long"
    case .notAnObject: "the server's metadata is not a JSON object"
    case .member(let error): "the server's metadata: \(error)"
    case .otherOrigin(let found):
      "the server names metadata of another origin, \(found), which is not asked"
    case .otherResource(let found):
      "the server's metadata is for \(found), not for the requested server"
    case .noIssuer: "the server's metadata names no authorization server, or more than 16"
    }
  }
}
