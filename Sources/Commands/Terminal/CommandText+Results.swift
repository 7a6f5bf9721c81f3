internal import JSON
internal import VaultClient

extension CommandText {
  /// The first words of the verbs that use the vault of the caller.
  ///
  /// The other verbs name their vaults themselves, or change the hosts of the helpers. The helpers
  /// use no private vault beside a service.
  private static let verbs = Set(Program.verbs.compactMap(\.words.first))
    .subtracting(["host", "service", "user"])

  /// The members of a result that hold sentences and commands.
  private static let members: Set<String> = [
    "cause", "command", "commands", "finger_reason", "hint", "message", "next", "problem", "reason",
    "remedy", "text",
  ]

  /// The commands for the vault of a command line.
  init(_ arguments: Arguments, environment: (String) -> String?) {
    // If this command runs without the option, other commands find the same vault without it.
    if arguments.has("--private") {
      self.init(forPrivateVaultIn: environment)
    } else {
      self.init()
    }
  }

  /// The commands for a private vault.
  init(forPrivateVaultIn environment: (String) -> String?) {
    self.init(for: .privateVault, verbs: Self.verbs, environment: environment)
  }

  /// An error with the option in the commands of its texts.
  func adapted(_ error: CommandError) -> CommandError {
    guard needsOption else { return error }
    return CommandError(
      error.code,
      adapted(error.message),
      hint: error.hint.map(adapted),
      reason: error.reason,
      status: error.status,
      fields: error.fields,
      facts: adapted(error.facts),
      isSaid: error.isSaid,
      isInDoubt: error.isInDoubt
    )
  }

  /// A result with the option in the commands of its sentences.
  func adapted(_ object: JSONObject) -> JSONObject {
    guard needsOption else { return object }
    return JSONObject(
      unique: object.members.map { name, value in
        (name, adapted(value, isText: Self.members.contains(name)))
      }
    )
  }

  private func adapted(_ value: JSONValue, isText: Bool) -> JSONValue {
    switch value {
    case .string(let text) where isText: .string(adapted(text))
    case .array(let values): .array(values.map { adapted($0, isText: isText) })
    case .object(let object): .object(adapted(object))
    default: value
    }
  }
}
