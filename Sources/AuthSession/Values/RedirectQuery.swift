internal import SecretMemory

/// What a browser brought back from a provider: all behind the question mark of the redirect.
///
/// The code in it is worth a login for a moment: it lies in memory that is locked and wiped, and can
/// be neither printed nor compared.
public struct RedirectQuery: Sendable {
  /// The most bytes; the vault reads no more.
  private static let longest = 16 * 1024

  let secret: SharedSecret

  /// Takes the text; where that came from, copies of it may stay in memory.
  ///
  /// - Throws: `unexpected` where no memory can be had, `invalidArgument` for more than 16 KiB.
  public init(_ text: consuming String) throws(AuthError) {
    guard text.utf8.count <= Self.longest else {
      throw AuthError(.invalidArgument, "that is not what a provider sends to a browser")
    }
    do {
      secret = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the redirect", cause: error)
    }
  }

  /// One that a listener has read.
  init(_ secret: SharedSecret) {
    self.secret = secret
  }

  /// The text, for the stub of a test.
  package var text: String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension RedirectQuery: CustomStringConvertible, CustomReflectable {
  /// Never the query.
  public var description: String { "RedirectQuery(redacted)" }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
