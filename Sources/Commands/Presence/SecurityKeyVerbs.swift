internal import JSON
internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import VaultClient
internal import VaultInterface

/// `keys list, enroll, remove`.
enum SecurityKeyVerbs {
  static let all = [list, enroll, remove]

  /// The most time for the touch of a new key, in seconds.
  private static let touchLimit: Int64 = 60
  private static let withPIN = "--with-pin"

  static let list = Verb(
    "keys list",
    summary: "list the enrolled security keys"
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { _ in ListKeysCall() }
    if reply.keys.isEmpty && !session.output.json {
      session.output.talk("no security key is enrolled; to enroll one: thumblatch keys enroll NAME")
      return
    }
    try session.show(
      ["keys": keys(reply.keys)],
      reply.keys.map { PlainText.line($0.name, limit: 64) }.joined(separator: "\n")
    )
  }

  static let enroll = Verb(
    "keys enroll",
    [Verb.Operand("NAME", .one)],
    options: [Verb.Option(withPIN, "ask for the key's PIN, if the key requires one")],
    summary: "enroll a security key (FIDO2); needs the system password",
    details: """
      Plug in this key only. Choose any NAME, such as blue. A touch of the key then passes \
      presence checks at this machine, as a finger does. Nothing is stored on the key.
      """
  ) { session throws(CommandError) in
    let name = session.arguments.operands[0]
    let terminal = try session.terminal(for: "a touch of the security key")
    // This is only a hint. In a container, the helper may see other devices.
    if session.lacksSecurityKey() {
      session.output.say(
        "No security key is plugged in by USB. Connect the key before you type the password."
      )
    }
    let pin = session.arguments.has(withPIN) ? try session.keyPIN(at: terminal) : nil
    let output = session.output
    do throws(CommandError) {
      try session.stream(within: touchLimit) { prompt in
        EnrollKeyCall(key: name, pin: pin, prompt: prompt)
      } each: { reply throws(VaultClientError) in
        if reply.event == .waiting { output.say("Touch the security key.") }
      }
    } catch {
      guard error.message.contains(PresenceFailure.keyWantsPIN) else { throw error }
      throw CommandError(
        error.code,
        error.message,
        hint: "thumblatch keys enroll NAME \(withPIN)"
      )
    }
    let shown = PlainText.line(name, limit: 64)
    try session.report(["enrolled": .string(name)], "the security key '\(shown)' is enrolled")
  }

  static let remove = Verb(
    "keys remove",
    [Verb.Operand("NAME", .one)],
    summary: "remove a security key; needs the system password",
    details: "The key need not be plugged in, because nothing is stored on it."
  ) { session throws(CommandError) in
    let name = session.arguments.operands[0]
    let reply = try session.call(within: Session.localLimit) { prompt in
      RemoveKeyCall(key: name, prompt: prompt)
    }
    let left = reply.keys.map { PlainText.line($0.name, limit: 64) }.joined(separator: ", ")
    try session.report(
      ["removed": .string(name), "keys": keys(reply.keys)],
      "the security key '\(PlainText.line(name, limit: 64))' is removed; "
        + (left.isEmpty ? "none is left" : "left: \(left)")
    )
  }

  private static func keys(_ keys: [VaultSecurityKey]) -> JSONValue {
    .array(
      keys.map { key in
        .object([
          "name": .string(key.name),
          "enrolled_at": .string(Timestamps.rfc3339(Int64(key.enrolledAt))),
        ])
      }
    )
  }
}
