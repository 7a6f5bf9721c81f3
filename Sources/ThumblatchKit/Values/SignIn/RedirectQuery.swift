internal import SecretMemory

/// The query of a provider's redirect to the browser: all text after the question mark.
///
/// The code in it is valid for a short time and can complete a sign-in. Its memory is locked and
/// wiped. It cannot be printed or compared.
public struct RedirectQuery: Sendable {
  /// The greatest length in bytes.
  ///
  /// The vault reads no more.
  private static let longest = 16 * 1024

  let secret: SharedSecret

  /// Copies the text into locked memory.
  ///
  /// Other copies of it may stay in ordinary memory.
  ///
  /// - Throws: `unexpected` if no locked memory is available, `invalidArgument` for more
  ///   than 16 KiB.
  public init(_ text: consuming String) throws(AuthError) {
    guard text.utf8.count <= Self.longest else {
      throw AuthError(.invalidArgument, "a redirect may have at most \(Self.longest) bytes")
    }
    do {
      secret = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the redirect", cause: error)
    }
  }

  /// Takes a query that a listener has read.
  init(_ secret: SharedSecret) {
    self.secret = secret
  }

  /// The text, for the stub of a test.
  package var text: String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension RedirectQuery: Redacted {
  /// The type's name, never the query.
  public var description: String { "RedirectQuery(redacted)" }
}
