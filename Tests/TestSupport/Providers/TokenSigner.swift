internal import Glibc
internal import Synchronization
internal import System

/// Keys and signed tokens as a provider has them, made by the openssl command.
///
/// It is a second implementation, independent of the tested one.
///
/// The keys are in a directory that is removed with its owner.
public final class TokenSigner: Sendable {
  /// The private keys.
  public enum Key: String, Sendable, CaseIterable {
    case rsa
    case otherRSA = "rsa-other"
    case shortRSA = "rsa-short"
    case p256
    case otherP256 = "p256-other"
    case p384
    case p521
    case ed25519
  }

  private let scratch: ScratchDirectory
  private var directory: String { scratch.path }
  private let count = Atomic<Int>(0)

  private static let script = """
    rsa="openssl genpkey -algorithm RSA -pkeyopt"
    $rsa rsa_keygen_bits:2048 -out rsa.key
    $rsa rsa_keygen_bits:2048 -out rsa-other.key
    $rsa rsa_keygen_bits:1024 -out rsa-short.key
    for name in p256 p256-other; do
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out $name.key
    done
    for size in 384 521; do
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-$size -out p$size.key
    done
    openssl genpkey -algorithm ED25519 -out ed25519.key
    for name in rsa rsa-other rsa-short p256 p256-other p384 p521 ed25519; do
      openssl pkey -in $name.key -pubout -outform der -out $name.der
      openssl pkey -in $name.key -pubout -out $name.pem
    done
    for name in rsa rsa-other rsa-short; do
      openssl rsa -in $name.key -noout -modulus | cut -d= -f2 > $name.modulus
    done
    """

  /// Makes the keys.
  public init() throws {
    scratch = try ScratchDirectory()
    try Self.run("cd \(directory)\n{ \(Self.script)\n} 2>log")
  }

  /// The public half of a key as a JWK.
  ///
  /// `more` is JSON text with further members.
  public func jwk(_ key: Key, kid: String?, more: String = "") throws -> String {
    let name = kid.map { #","kid":"\#($0)""# } ?? ""
    let rest = more.isEmpty ? "" : "," + more
    switch key {
    case .rsa, .otherRSA, .shortRSA:
      let text = String(decoding: try file(key.rawValue + ".modulus"), as: UTF8.self)
      let modulus = Self.base64(Self.bytes(hex: text))
      return #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"\#(name)\#(rest)}"#
    case .p256, .otherP256, .p384, .p521:
      let (curve, count) = Self.curve(of: key)
      // A SubjectPublicKeyInfo ends with the key itself.
      let point = try file(key.rawValue + ".der").suffix(2 * count)
      let x = Self.base64(Array(point.prefix(count)))
      let y = Self.base64(Array(point.suffix(count)))
      return #"{"kty":"EC","crv":"\#(curve)","x":"\#(x)","y":"\#(y)"\#(name)\#(rest)}"#
    case .ed25519:
      let x = Self.base64(Array(try file("ed25519.der").suffix(32)))
      return #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"\#(name)\#(rest)}"#
    }
  }

  /// The curve of a key, and the length of a coordinate in bytes.
  private static func curve(of key: Key) -> (name: String, count: Int) {
    switch key {
    case .p384: ("P-384", 48)
    case .p521: ("P-521", 66)
    default: ("P-256", 32)
    }
  }

  /// The public half as PEM, for the attack "HS256 with the public key".
  public func pem(_ key: Key) throws -> [UInt8] { try file(key.rawValue + ".pem") }

  /// A JWS of these JSON texts (RFC 7515, section 3.1).
  ///
  /// `algorithm` says how it is signed, whatever its header says: `RS256`, `PS384`, `ES512` and the
  /// like, `EdDSA`. `ES256-DER` leaves out the encoding of JWS, `HS256` uses the public PEM as a
  /// secret, and `none` signs nothing.
  public func token(
    header: String,
    payload: String,
    key: Key,
    algorithm: String
  ) throws -> String {
    let input = Self.base64(Array(header.utf8)) + "." + Self.base64(Array(payload.utf8))
    return input + "." + Self.base64(try signature(of: input, key, algorithm))
  }

  /// The bytes of a signature over a text without quotes.
  public func signature(of input: String, _ key: Key, _ algorithm: String) throws -> [UInt8] {
    let number = count.add(1, ordering: .relaxed).newValue
    let size = algorithm.dropFirst(2).prefix(3)
    let bits = ["384", "512"].contains(size) ? String(size) : "256"
    let digest = "openssl dgst -sha\(bits) -out \(number).out"
    let sign = "\(digest) -sign \(key.rawValue).key"
    let pss = "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen"
    let command: String
    switch algorithm {
    case "none": return []
    case "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "ES256-DER":
      command = "\(sign) \(number).in"
    case "PS256", "PS384", "PS512":
      command = "\(sign) \(pss):digest -sigopt rsa_mgf1_md:sha\(bits) \(number).in"
    case "PS256-salt": command = "\(sign) \(pss):20 -sigopt rsa_mgf1_md:sha256 \(number).in"
    case "HS256":
      let secret = try pem(key).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
      command = "\(digest) -binary -mac HMAC -macopt hexkey:\(secret) \(number).in"
    case "EdDSA":
      command =
        "openssl pkeyutl -sign -rawin -inkey \(key.rawValue).key -in \(number).in"
        + " -out \(number).out"
    default: throw SystemError("an algorithm that is not known: \(algorithm)", code: EINVAL)
    }
    try Self.run(
      "cd \(directory)\nprintf %s '\(input)' > \(number).in\n\(command) 2>>log"
    )
    let signature = try file("\(number).out")
    guard ["ES256", "ES384", "ES512"].contains(algorithm) else { return signature }
    return Self.raw(signature, Self.curve(of: key).count)
  }

  /// URL-safe base64 without padding.
  public static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(letters[bits >> (18 - 6 * place) & 63]) }
    }
    return text
  }

  /// The two integers of a DER sequence, each padded or cut to this many bytes.
  private static func raw(_ der: [UInt8], _ count: Int) -> [UInt8] {
    // A length of 128 or more has its own byte.
    var rest = der.dropFirst(der[1] == 0x81 ? 3 : 2)
    var raw: [UInt8] = []
    for _ in 0..<2 {
      let length = Int(rest[rest.startIndex + 1])
      let digits = Array(rest.dropFirst(2).prefix(length).drop { $0 == 0 })
      raw += [UInt8](repeating: 0, count: count - digits.count) + digits
      rest = rest.dropFirst(2 + length)
    }
    return raw
  }

  private static func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(digits[index] << 4 | digits[index + 1])
    }
  }

  private func file(_ name: String) throws -> [UInt8] {
    try Directory(path: directory).openForReading(name).readAll(limit: 64 * 1024)
  }

  private static func run(_ script: String) throws(SystemError) {
    let shell = try ChildProcess(
      path: "/bin/sh",
      arguments: ["-e", "-c", script],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, 2]
    )
    guard try shell.wait() == .exited(0) else { throw SystemError("openssl", code: EINVAL) }
  }
}
