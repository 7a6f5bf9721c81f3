import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Security keys.
extension Situation {
  private static let blue = VaultSecurityKey(name: "blue", enrolledAt: 1_700_000_000)

  static let securityKeys: [Situation] = [
    Situation(
      "keys list",
      "two keys",
      ListKeysCall.self,
      replies: ListKeysReply(keys: [blue, VaultSecurityKey(name: "red", enrolledAt: 1)])
    ),
    Situation("keys list", "no key", ListKeysCall.self, replies: ListKeysReply(keys: [])),
    Situation(
      "keys enroll blue",
      "a key to touch",
      script: { stage in
        _ = try stage.call(EnrollKeyCall.self)
        try stage.reply(EnrollKeyReply(event: .waiting, key: "blue"), continues: true)
        try stage.reply(EnrollKeyReply(event: .done, key: "blue"))
      }
    ),
    Situation(
      "keys enroll blue",
      "a key that is plugged in later",
      script: { stage in
        _ = try stage.call(EnrollKeyCall.self)
        try stage.reply(EnrollKeyReply(event: .waiting, key: "blue"), continues: true)
        try stage.reply(EnrollKeyReply(event: .done, key: "blue"))
      }
    ).with { $0.lacksSecurityKey = true },
    Situation(
      "keys enroll blue",
      "a key that wants its PIN",
      EnrollKeyCall.self,
      fails: .presenceFailed(.denied, message: "the security key wants its PIN", methods: [])
    ),
    Situation(
      "keys enroll blue --with-pin",
      "its PIN is asked for",
      script: { stage in
        try stage.answer("PIN of the security key: ", "8261")
        _ = try stage.call(EnrollKeyCall.self)
        try stage.reply(EnrollKeyReply(event: .done, key: "blue"))
      }
    ),
    Situation("keys enroll blue", "no terminal").withoutTerminal,
    Situation(
      "keys remove blue",
      "another is left",
      RemoveKeyCall.self,
      replies: ListKeysReply(keys: [VaultSecurityKey(name: "red", enrolledAt: 1)])
    ),
    Situation(
      "keys remove blue",
      "the last one",
      RemoveKeyCall.self,
      replies: ListKeysReply(keys: [])
    ),
    Situation(
      "keys remove blue",
      "not enrolled",
      RemoveKeyCall.self,
      fails: .noSuchKey(key: "blue")
    ),
  ]
}
