internal import Glibc
internal import SecretMemory

/// A password on its way to the vault, in memory that is locked and wiped.
///
/// It can be neither printed nor compared.
public struct Password: Sendable {
  let secret: SharedSecret

  /// Takes the text; where that came from, copies of it may stay in memory.
  ///
  /// - Throws: `unexpected` where no memory can be had, `invalidArgument` for more than 8 KiB.
  public init(_ text: consuming String) throws(AuthError) {
    guard text.utf8.count <= Self.longest else {
      throw AuthError(.invalidArgument, "a password may have \(Self.longest) bytes")
    }
    do {
      secret = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
    } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
  }

  private static let longest = 8192

  /// Takes what was typed, which is wiped where it stood.
  init(wiping bytes: inout [UInt8]) throws(AuthError) {
    defer {
      unsafe bytes.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
      }
      bytes.removeAll(keepingCapacity: true)
    }
    do { secret = SharedSecret(try SecretBytes(copying: bytes)) } catch {
      throw AuthError(.unexpected, "no locked memory for the password", cause: error)
    }
  }
  /// The text, for the stub of a test.
  package var text: String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Password: CustomStringConvertible, CustomReflectable {
  /// Never the password.
  public var description: String { "Password(redacted)" }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
