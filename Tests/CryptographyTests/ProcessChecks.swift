import Cryptography
import Glibc
import SecretMemory
import TestSupport
import Testing

/// Seals, opens, derives and authenticates, then searches all ordinary memory of this process for
/// the key and the secret.
func sealAndLookForCopies() throws {
  let needle = try SecretBytes.random(count: 32)
  let token = try SecretBytes.random(count: 48)
  let key = try SealingKey(needle.copy())
  let context = try Samples.context()
  for _ in 0..<50 {
    let box = try SealedBox.seal(token, using: key, context: context)
    let opened = try box.open(using: key, context: context)
    #expect(opened.count == 48)
    var damaged = box.bytes
    damaged[damaged.count - 1] ^= 1
    #expect(refusal(of: damaged, context: context, key: key) == .damaged)
    _ = try key.derived(for: "exchange").identifier
    _ = try authenticate([1, 2, 3], using: key)
    let image = try SlotImage.seal(
      .answered(status: 200, retryAfter: nil, body: SharedSecret(token.copy())),
      using: key,
      context: context
    )
    _ = try SlotImage.open(image, using: key, context: context)
  }
  #expect(try copies(of: needle) == 0)
  #expect(try copies(of: token) == 0)
  // Control: the search finds an existing copy.
  let leak = bytes(of: token)
  #expect(try copies(of: token) > 0)
  #expect(leak.count == 48)
}

private func copies(of secret: borrowing SecretBytes) throws -> Int {
  unsafe try secret.withUnsafeBytes { unsafe try ProcessMemory.copies(of: $0) }
}

/// Seals with an OPENSSL_CONF under which the default library context finds no algorithm.
func sealUnderHostileConfiguration() throws {
  let path = "/tmp/thumblatch-openssl-\(getpid()).cnf"
  let text = """
    openssl_conf = main
    [main]
    alg_section = algorithms
    [algorithms]
    default_properties = fips=yes
    """
  let file = unsafe fopen(path, "w")
  unsafe fputs(text, file)
  unsafe fclose(file)
  defer { unsafe unlink(path) }
  unsafe setenv("OPENSSL_CONF", path, 1)
  let box = try Samples.box()
  #expect(try refusal(of: box.bytes) == nil)
  #expect(try sha256([]).count == 32)
  #expect(try authenticate([], using: Samples.key()).count == 32)
}
