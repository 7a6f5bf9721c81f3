import PresenceTerms
import SecretMemory
import Varlink
import VaultInterface

@testable import Commands

extension Situation {
  static let all: [Situation] =
    usage + beginnings + setups + toolSetups + accounts + status + endings + users + providers
    + providerErrors
    + appliedProviders
    + signIns + choices + registrations + webSignIns + browserSignIns + pastedSignIns + chosenWays
    + serverLogins + tokens + serverTokens
    + deliveries + requests + presence + desktop + callerRules + fingers + securityKeys + audit
    + keySlots
    + keys + policies
    + hosts + tools + secrets + imports + slots + backups + restores
    + serviceImports + serviceExports

  /// An account that is signed in at a provider of this machine.
  static func account(_ change: (inout VaultAccount) -> Void = { _ in }) -> VaultAccount {
    var account = VaultAccount(
      name: "work",
      provider: "dev",
      kind: "password-backend",
      issuer: "https://id.example.com",
      email: "ada@example.org",
      presenceProtection: false,
      state: .ready,
      isDefault: false
    )
    change(&account)
    return account
  }

  static let signedOut = account { $0.state = .signedOut }
  static let protected = account { $0.presenceProtection = true }

  /// Words that a parser does not take.
  static let usage: [Situation] = [
    ("tokne", "a verb that is nearly right"), ("frob", "a verb of no kind"),
    ("account", "no second word"), ("account frob", "another second word"),
    ("token a b", "an operand too many"), ("provider show", "no operand"),
    ("token --min-ttl", "no value"), ("token --min-ttl 1s --min-ttl 2s", "an option twice"),
    ("token --json=yes", "a value for a flag"), ("login me --password=hunter2", "a password"),
    ("login me --password --hunter2", "a password that looks like an option"),
    ("register me --password hunter2", "a password, where there is no such option"),
    ("token --min-tll 3s", "an option that is nearly right"), ("token --frob", "another option"),
    ("--frob token", "an option before the verb"),
    ("token work --within 8s", "a limit for no helper"),
    ("token " + String(repeating: "a", count: 70_000), "70,000 characters"),
    ("token --reason a" + String(repeating: "\u{301}", count: 31), "31 accents on one letter"),
  ].map { Situation($0, $1) }

  /// Asks for the finger, which matches.
  static func touch(_ stage: Stage, _ purpose: PresencePurpose) throws {
    try stage.needPresence(purpose)
    _ = try stage.expect(CheckCall.self)
    try stage.reply(CheckEvent.passed)
  }

  static func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }
}
