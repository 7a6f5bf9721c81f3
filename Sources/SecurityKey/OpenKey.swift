internal import CFido2
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// One open key.
///
/// Its requests block one thread; `cancel` is called from another one.
@safe
final class OpenKey: @unchecked Sendable {
  let device: OpaquePointer
  let fido: cfido2
  /// How often the key is polled for a touch, and how long each poll waits, in milliseconds.
  private static let touchLooks = 150
  private static let touchPause: Int32 = 200
  /// The most credential IDs in one request: common keys take eight.
  private static let mostCredentials = 8
  /// The most bytes of the IDs in one request, so that it fits into the message of 1024 bytes that
  /// each key accepts (CTAP 2.1, section 6.4).
  private static let mostNameBytes = 512
  /// Whether the device is open; `cancel` must not use it afterwards.
  private let isOpen = Mutex(true)

  /// Opens the key at a path; `nil` if the node belongs to another device, or to a key without
  /// FIDO2.
  ///
  /// - Throws: `notPermitted`, or `removed` if it does not answer.
  init?(path: String) throws(KeyFailure) {
    // Call open(2) first, because the library does not say why it could not open the node.
    let number = unsafe open(path, O_RDWR | O_CLOEXEC)
    if number < 0 {
      if errno == EACCES || errno == EPERM { throw .notPermitted }
      return nil
    }
    close(number)
    let fido = try KeyLibrary.loaded()
    guard let device = fido.dev_new() else { throw .unexpected(FIDO_ERR_INTERNAL) }
    unsafe self.device = device
    self.fido = fido
    let code = unsafe fido.dev_open(device, path)
    guard code == FIDO_OK, unsafe fido.dev_is_fido2(device) else {
      isOpen.withLock { $0 = false }
      if code == FIDO_ERR_TX || code == FIDO_ERR_RX { throw .removed }
      return nil
    }
  }

  deinit {
    isOpen.withLock { $0 = false }
    var device: OpaquePointer? = unsafe self.device
    _ = unsafe fido.dev_close(device)
    unsafe fido.dev_free(&device)
  }

  /// Ends a request that waits for a touch, from any thread.
  ///
  /// A key that has no request ignores it.
  func cancel() {
    isOpen.withLock { isOpen in
      if isOpen { unsafe _ = fido.dev_cancel(device) }
    }
  }

  /// Whether the key verifies its person itself.
  var verifies: Bool { unsafe fido.dev_has_uv(device) }

  /// How many wrong PINs the key still accepts; `nil` if it does not say.
  var retries: Int? {
    var count: Int32 = 0
    guard unsafe fido.dev_get_retry_count(device, &count) == FIDO_OK else { return nil }
    return Int(count)
  }

  /// The failure that a code of this key means.
  func failure(_ code: Int32) -> KeyFailure {
    switch code {
    case FIDO_ERR_PIN_REQUIRED, FIDO_ERR_PIN_INVALID: KeyFailure(code, retries: retries)
    default: KeyFailure(code)
    }
  }

  /// Asks the key, without a touch, which of these credentials it holds; `nil` if none.
  func own(of credentials: [[UInt8]]) throws(KeyFailure) -> [UInt8]? {
    for part in Self.parts(of: credentials) {
      if let own = try own(in: part) { return own }
    }
    return nil
  }

  /// The credentials in parts, each for one request.
  private static func parts(of credentials: [[UInt8]]) -> [[[UInt8]]] {
    var parts: [[[UInt8]]] = []
    for credential in credentials {
      if let last = parts.last, last.count < mostCredentials,
        last.reduce(credential.count, { $0 + $1.count }) <= mostNameBytes
      {
        parts[parts.count - 1].append(credential)
      } else {
        parts.append([credential])
      }
    }
    return parts
  }

  private func own(in credentials: [[UInt8]]) throws(KeyFailure) -> [UInt8]? {
    let assertion = try Assertion(challenge: [UInt8](repeating: 0, count: 32), credentials)
    try assertion.set(touch: false, verification: false)
    let code = unsafe fido.dev_get_assert(device, assertion.pointer, nil)
    if code == FIDO_ERR_NO_CREDENTIALS { return nil }
    guard code == FIDO_OK else { throw failure(code) }
    return assertion.credential ?? credentials.first
  }

  /// Lights the key, and waits for its touch.
  func sign(
    _ challenge: [UInt8],
    with credential: [UInt8],
    _ verification: KeyVerification,
    lit: () -> Void
  ) throws(KeyFailure) -> KeyAssertion {
    let assertion = try Assertion(challenge: challenge, [credential])
    try demandPIN(verification)
    // A PIN already verifies the person: the option is for a key that verifies without one.
    let byItself = verification.isRequired && verification.pin == nil
    try assertion.set(touch: true, verification: byItself)
    lit()
    let code = unsafe try KeyLibrary.withPIN(verification.pin) { pin in
      unsafe fido.dev_get_assert(device, assertion.pointer, pin)
    }
    guard code == FIDO_OK else { throw failure(code) }
    return try assertion.signed(credential)
  }

  /// Lights the key and waits for a touch.
  ///
  /// The key signs nothing.
  func awaitTouch(_ isCancelled: () -> Bool) throws(KeyFailure) {
    var code = unsafe fido.dev_get_touch_begin(device)
    guard code == FIDO_OK else { throw failure(code) }
    var touched: Int32 = 0
    for _ in 0..<Self.touchLooks where touched == 0 {
      guard !isCancelled() else {
        cancel()
        throw .cancelled
      }
      code = unsafe fido.dev_get_touch_status(device, &touched, Self.touchPause)
      guard code == FIDO_OK else { throw failure(code) }
    }
    guard touched != 0 else {
      cancel()
      throw .timedOut
    }
  }

  /// Makes a credential for a user, unless the key already holds one of these.
  func enroll(
    _ challenge: [UInt8],
    user: [UInt8],
    name: String,
    excluding credentials: [[UInt8]],
    _ verification: KeyVerification,
    withSecret: Bool = false,
    lit: () -> Void
  ) throws(KeyFailure) -> NewKeyCredential {
    try demandPIN(verification)
    let byItself = verification.isRequired && verification.pin == nil
    // The request itself has room for one part only.
    let parts = Self.parts(of: credentials)
    for part in parts.dropLast() where try own(in: part) != nil { throw .alreadyEnrolled }
    let request = try Enrollment(challenge, user: user, name: name, excluding: parts.last ?? [])
    try request.set(verification: byItself)
    if withSecret { try request.setSecret() }
    lit()
    let code = unsafe try KeyLibrary.withPIN(verification.pin) { pin in
      unsafe fido.dev_make_cred(device, request.pointer, pin)
    }
    guard code == FIDO_OK else { throw failure(code) }
    return try request.made()
  }

  /// Requires a PIN before the key is lit, if the key cannot verify without one.
  func demandPIN(_ verification: KeyVerification) throws(KeyFailure) {
    guard verification.isRequired, verification.pin == nil, !verifies else { return }
    guard unsafe fido.dev_has_pin(device) else { throw .noPIN }
    let left = retries
    throw left == 0 ? .pinBlocked : .pinNeeded(retries: left)
  }
}
