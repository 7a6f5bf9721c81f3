public import System

/// The facts about the calling process that checks need.
public struct Caller {
  /// The value of a variable of the environment.
  let environment: (String) -> String?
  /// The names of all variables.
  let variables: [String]
  /// Whether messages go to a terminal.
  let hasTerminal: Bool
  /// The file mode mask that the process inherited; `nil` if it is not known.
  let mask: UInt32?
  /// The most open descriptors; `nil` without a limit.
  let descriptorLimit: Int?
  /// The time, in seconds since 1970.
  let now: Int64

  init(
    environment: @escaping (String) -> String?,
    variables: [String],
    hasTerminal: Bool,
    mask: UInt32?,
    descriptorLimit: Int?,
    now: Int64
  ) {
    self.environment = environment
    self.variables = variables
    self.hasTerminal = hasTerminal
    self.mask = mask
    self.descriptorLimit = descriptorLimit
    self.now = now
  }

  /// The facts about this process.
  ///
  /// - Parameters:
  ///   - hasTerminal: whether messages go to a terminal.
  ///   - mask: the inherited file mode mask; `nil` if the process has changed it.
  ///   - environment: the value of a variable of the environment.
  public init(
    hasTerminal: Bool = false,
    mask: UInt32? = nil,
    environment: @escaping (String) -> String? = { ThisProcess.environment($0) }
  ) {
    self.init(
      environment: environment,
      variables: ThisProcess.environmentNames,
      hasTerminal: hasTerminal,
      mask: mask,
      descriptorLimit: ThisProcess.descriptorLimit,
      now: WallTime.now.seconds
    )
  }

  /// The value of a variable; `nil` if it is unset or empty.
  func value(_ name: String) -> String? {
    guard let value = environment(name), !value.isEmpty else { return nil }
    return value
  }
}
