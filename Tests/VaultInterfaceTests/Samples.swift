import JSON
import PresenceTerms
import SecretMemory
import Varlink
import VarlinkMethods
import VaultInterface

/// One message of an interface, with its encoding and decoding.
struct Sample: Sendable, CustomStringConvertible {
  enum Direction {
    case call
    case reply
    case error
  }

  let interface: VarlinkInterface
  let direction: Direction
  /// The name in the interface, such as `AccessToken`.
  let name: String
  /// Whether the members depend on the event.
  let isVariant: Bool
  let parameters: JSONObject
  /// Decodes and encodes again.
  let again: @Sendable (JSONObject) throws -> JSONObject

  var description: String { "\(interface.name).\(name) \(direction)" }

  /// The same message with other parameters, over the wire and back.
  func received(_ parameters: JSONObject) throws -> JSONObject {
    var buffer = MessageBuffer(interface)
    try unsafe message(parameters).withUnsafeBytes { unsafe try buffer.append($0) }
    switch direction {
    case .call: return try buffer.nextCall()?.parameters ?? JSONObject()
    case .reply, .error: return try buffer.nextReply()?.parameters ?? JSONObject()
    }
  }

  /// The message with these parameters, and its NUL.
  func message(_ parameters: JSONObject) throws -> SecretBytes {
    let fullName = "\(interface.name).\(name)"
    switch direction {
    case .call:
      return try VarlinkCall(method: fullName, parameters: parameters).encoded(on: interface)
    case .reply: return try VarlinkReply(parameters: parameters).encoded(on: interface)
    case .error:
      return try VarlinkReply(parameters: parameters, error: fullName).encoded(on: interface)
    }
  }
}

/// A secret of a test.
func secret(_ text: String) throws -> SharedSecret {
  SharedSecret(try SecretBytes(copying: Array(text.utf8)))
}

func split(_ method: String) throws -> (VarlinkInterface, String) {
  for interface in VarlinkMethods.interfaces where method.hasPrefix(interface.name + ".") {
    return (interface, String(method.dropFirst(interface.name.count + 1)))
  }
  throw MessageError.badValue("method")
}

/// A call of a method.
func call<Method: AskingMethod>(_ content: Method) throws -> Sample {
  var content = content
  content.ask = true
  content.reason = content.reason ?? "deploy"
  return try sample(content)
}

/// A call of a method.
func call<Method: VarlinkMethod>(_ content: Method) throws -> Sample { try sample(content) }

private func sample<Method: VarlinkMethod>(_ content: Method) throws -> Sample {
  let (interface, name) = try split(Method.method)
  return Sample(
    interface: interface,
    direction: .call,
    name: name,
    isVariant: false,
    parameters: try content.encoded,
    again: { try Method(decoding: $0).encoded }
  )
}

/// A reply to a method.
func reply<Method: VarlinkMethod>(
  to: Method.Type,
  _ content: Method.Reply,
  isVariant: Bool = false
) throws -> Sample {
  let (interface, name) = try split(Method.method)
  return Sample(
    interface: interface,
    direction: .reply,
    name: name,
    isVariant: isVariant,
    parameters: try content.encoded,
    again: { try Method.Reply(decoding: $0).encoded }
  )
}

let account = VaultAccount(
  name: "me",
  provider: "dev",
  kind: "password-backend",
  issuer: "http://localhost:8000",
  subject: "17",
  email: "ann@example.org",
  displayName: "Ann \"é\" 😀",
  role: "admin",
  emailVerified: true,
  createdAt: 1_600_000_000,
  claims: ["team": "x", "tags": ["a", 1, nil]],
  presenceProtection: true,
  state: .loginRequired,
  cause: "refused\n",
  accessTokenExpiresAt: 1_800_000_000,
  refreshedAt: 1_700_000_000,
  isDefault: false,
  exportable: true,
  scope: "read write",
  missingScope: "write",
  replacedRevoked: false,
  replacedReason: "the provider answered 401"
)
let provider = VaultProvider(
  name: "dev",
  settings: ["issuer": "http://localhost:8000", "kind": "password-backend", "ca": "-----\n"]
)
/// Every message, with every optional member.
///
/// Empty if one could not be made, which a test checks.
let samples: [Sample] =
  (try? accountSamples() + presenceSamples() + helperSamples() + backupSamples() + exportSamples()
    + keySamples() + loginSamples(account, provider) + slotSamples()) ?? []
