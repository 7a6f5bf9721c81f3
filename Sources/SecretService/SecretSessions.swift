internal import KeyAgreement
internal import SecretMemory
internal import SystemBus

/// The sessions of programs, in which secrets are passed plain or encrypted.
struct SecretSessions {
  private struct Session {
    let owner: String
    /// `nil` if secrets are plain.
    let key: AgreedKey?
  }

  /// The most sessions of one program; one more closes its oldest one.
  ///
  /// Some programs open one for each item that they read, and never close one.
  static let mostOfOne = 1024
  /// The most sessions of all programs.
  static let most = 4096

  private static let plain = "plain"
  private static let encrypted = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  private var sessions: [String: Session] = [:]
  private var last = 0

  /// Opens a session; returns the output of the key agreement and the path.
  mutating func open(
    _ algorithm: String,
    _ input: BusValue,
    for owner: String
  ) throws(SecretServiceError) -> [BusValue] {
    let own = sessions.filter { $0.value.owner == owner }.keys
    // The keys are s1, s2 and so on: the oldest comes first by length, then by text.
    if own.count >= Self.mostOfOne,
      let oldest = own.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) })
    {
      sessions[oldest] = nil
    }
    guard sessions.count < Self.most else { throw .limitsExceeded("there are too many sessions") }
    let key: AgreedKey?
    let output: BusValue
    switch (algorithm, input) {
    case (Self.plain, .text):
      key = nil
      output = .text("")
    case (Self.encrypted, .bytes(let publicKey)):
      let agreed = try agree(publicKey)
      key = agreed
      output = try Self.bytes(agreed.publicKey)
    case (Self.plain, _), (Self.encrypted, _):
      throw .invalidArguments("the input does not fit the algorithm")
    default: throw .notSupported("the algorithm is not known")
    }
    last += 1
    sessions["s\(last)"] = Session(owner: owner, key: key)
    return [.variant(output), .path(SecretObject.session("s\(last)").path)]
  }

  private func agree(_ publicKey: SharedSecret) throws(SecretServiceError) -> AgreedKey {
    do throws(KeyAgreementError) {
      let bytes = unsafe publicKey.bytes.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
      return try AgreedKey(with: bytes)
    } catch {
      switch error {
      case .invalidKey, .damaged: throw .invalidArguments("the public key cannot be used")
      case .unavailable: throw .notSupported("libcrypto is missing")
      case .memory: throw .failed("there is no memory for the key")
      }
    }
  }

  private static func bytes(_ bytes: [UInt8]) throws(SecretServiceError) -> BusValue {
    do throws(SecretMemoryError) {
      return .bytes(SharedSecret(try SecretBytes(copying: bytes)))
    } catch {
      throw .failed("there is no memory for the secret")
    }
  }

  mutating func close(_ id: String, of owner: String) throws(SecretServiceError) {
    _ = try session(id, of: owner)
    sessions[id] = nil
  }

  /// Closes all sessions of a program that has left.
  mutating func closeAll(of owner: String) {
    sessions = sessions.filter { $0.value.owner != owner }
  }

  private func session(
    _ id: String,
    of owner: String
  ) throws(SecretServiceError) -> Session {
    guard let session = sessions[id], session.owner == owner else { throw .noSession }
    return session
  }

  /// The session of a path, if this program has opened it.
  private func session(
    at path: String,
    of owner: String
  ) throws(SecretServiceError) -> Session {
    guard case .session(let id)? = SecretObject(path: path) else { throw .noSession }
    return try session(id, of: owner)
  }

  /// Checks that a program has the session of a path.
  func demand(_ path: String, of owner: String) throws(SecretServiceError) {
    _ = try session(at: path, of: owner)
  }

  // MARK: Secrets

  /// A secret as it is passed in a session.
  func structure(
    _ content: SecretContent,
    session path: String,
    of owner: String
  ) throws(SecretServiceError) -> BusValue {
    let parameters: BusValue
    let value: BusValue
    if let key = try session(at: path, of: owner).key {
      let box: (vector: [UInt8], sealed: [UInt8])
      do throws(KeyAgreementError) {
        box = try key.seal(content.secret.bytes)
      } catch {
        throw .failed("the secret cannot be encrypted")
      }
      parameters = try Self.bytes(box.vector)
      value = try Self.bytes(box.sealed)
    } else {
      parameters = try Self.bytes([])
      value = .bytes(content.secret)
    }
    return .structure([.path(path), parameters, value, .text(content.type)])
  }

  /// Reads the secret that a program passes in a session.
  func content(
    _ structure: BusValue,
    of owner: String
  ) throws(SecretServiceError) -> SecretContent {
    guard case .structure(let parts) = structure, parts.count == 4,
      case .path(let path) = parts[0], case .bytes(let parameters) = parts[1],
      case .bytes(let value) = parts[2], case .text(let type) = parts[3]
    else { throw .invalidArguments("this is not a secret") }
    guard type.utf8.count <= SecretService.longestText else {
      throw .limitsExceeded("the content type is too long")
    }
    try SecretService.demandUsable(type)
    guard let key = try session(at: path, of: owner).key else {
      return SecretContent(secret: value, type: type)
    }
    let vector = unsafe parameters.bytes.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
    do throws(KeyAgreementError) {
      let secret = SharedSecret(try key.open(value.bytes, vector: vector))
      return SecretContent(secret: secret, type: type)
    } catch {
      throw .invalidArguments("the secret cannot be decrypted")
    }
  }
}
