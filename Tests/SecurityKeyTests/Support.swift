import SecretMemory
import SecurityKey
import System
import TestSupport

/// A key that is plugged in, with the file of its credentials.
struct PluggedKey {
  let directory: String
  let key: SoftwareKey
  var nodes: KeyNodes { .paths([key.path]) }

  init(pin: String? = nil, _ options: [String] = []) throws {
    directory = try makeTemporaryDirectory()
    key = try SoftwareKey(state: directory + "/state", pin: pin, options)
  }

  func remove() { removeTemporaryDirectory(directory) }

  /// Makes a credential by a touch.
  func enrolled(_ verification: KeyVerification = .none) throws -> NewKeyCredential {
    try key.say("touch")
    let credential = try KeyRequest(nodes).enroll(
      challenge,
      user: [1, 2, 3],
      name: "ada",
      excluding: [],
      verification
    ) {}
    try key.wait(for: "made")
    return credential
  }

  /// Signs with a credential; the key is touched if that is said.
  func signed(
    _ credential: NewKeyCredential,
    _ verification: KeyVerification = .none,
    touched: Bool = true
  ) throws -> KeyAssertion {
    if touched { try key.say("touch") }
    return try KeyRequest(nodes).sign(
      challenge,
      withAny: [credential.identifier],
      verification
    ) {}
  }
}

let challenge = [UInt8](0..<32)

extension KeyVerification {
  static let none = KeyVerification(isRequired: false)

  static func pin(_ pin: String) throws -> KeyVerification {
    let text = try SecretBytes(copying: [UInt8](pin.utf8))
    return KeyVerification(isRequired: true, pin: SharedSecret(text))
  }
}

/// The failure of a body; `nil` if it does not fail by one of a key.
func failure(_ body: () throws -> Void) -> KeyFailure? {
  do {
    try body()
    return nil
  } catch {
    return error as? KeyFailure
  }
}
