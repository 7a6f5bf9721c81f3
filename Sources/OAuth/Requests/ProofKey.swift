internal import Cryptography
internal import JSON
public import SecretMemory

/// Binds a redirect to the sign-in that requested it: PKCE (RFC 7636), `state` and `nonce`.
public enum ProofKey {
  /// A code verifier: 43 characters that encode 32 random bytes (section 4.1).
  public static func verifier() throws(OAuthError) -> SecretBytes {
    do throws(SecretMemoryError) {
      let random = try SecretBytes.random(count: 32)
      return unsafe try SecretBytes(capacity: 43) { room in
        random.withBytes { bytes in
          var written = 0
          var bits: UInt32 = 0
          var count: UInt32 = 0
          for index in bytes.indices {
            bits = (bits << 8 | UInt32(bytes[index])) & 0x3FFF
            count += 8
            while count >= 6 {
              count -= 6
              unsafe room[written] = letter(UInt8(truncatingIfNeeded: bits >> count & 63))
              written += 1
            }
          }
          unsafe room[written] = letter(UInt8(truncatingIfNeeded: bits << (6 - count) & 63))
          return written + 1
        }
      }
    } catch {
      throw .memory(error)
    }
  }

  /// The challenge for a verifier: the method S256 (section 4.2).
  public static func challenge(for verifier: borrowing SecretBytes) throws(OAuthError) -> String {
    do throws(CryptographyError) {
      return Base64.url.text(try sha256(verifier))
    } catch {
      throw .cryptography(error)
    }
  }

  /// An unguessable text for `state` or `nonce`: 43 characters that encode 32 random bytes.
  public static func identifier() throws(OAuthError) -> String {
    do throws(CryptographyError) {
      return Base64.url.text(try randomBytes(32))
    } catch {
      throw .cryptography(error)
    }
  }

  /// A letter of URL-safe base64.
  ///
  /// A table lookup would leak the secret index through the cache.
  private static func letter(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }
}
