internal import GTK
package import VaultClient

/// The commands in the app's texts, as the person must type them for the vault that the app shows.
package enum CommandWords {
  /// The first words of the verbs that use the vault of the caller, in texts that the app can show.
  package static let verbs: Set<String> = [
    "account", "audit", "backup", "device-secret", "doctor", "fingers", "keys", "lock", "login",
    "logout", "policy", "presence", "provider", "recover", "rekey", "restore", "rule", "status",
    "store", "token", "unlock",
  ]

  /// Adds the option for a vault to the commands of all texts, if that vault needs it.
  package static func setVault(_ location: VaultLocation) {
    let commands = CommandText(for: location, verbs: verbs)
    guard commands.needsOption else { return }
    Translation.setChange { commands.adapted($0) }
  }

  /// A text that was not translated, or a command, with that option.
  static func adapted(_ text: String) -> String { Translation.changed(text) }
}
