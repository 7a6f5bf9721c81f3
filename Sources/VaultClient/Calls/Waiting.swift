public import System

extension Readiness {
  /// Waits like `wait`, for a descriptor or until the deadline.
  ///
  /// - Throws: `interrupted` when `interrupt` is readable.
  static func unlessInterrupted(
    for number: Int32 = -1,
    input: Int32? = nil,
    interrupt: Int32?,
    deadline: BootInstant?
  ) throws(VaultClientError) -> Readiness {
    let readiness: Readiness
    do throws(SystemError) {
      readiness = try wait(for: number, input: input, interrupt: interrupt, deadline: deadline)
    } catch {
      throw .system(error)
    }
    if readiness == .interrupted { throw .interrupted }
    return readiness
  }
}

extension Connection {
  /// Waits until a descriptor other than the vault's is readable.
  ///
  /// Returns false if the deadline passed.
  ///
  /// - Throws: `interrupted` when `interrupt` is readable.
  public static func wait(
    for input: Int32,
    interrupt: Int32?,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    try Readiness.unlessInterrupted(for: input, interrupt: interrupt, deadline: deadline)
      != .timedOut
  }

  /// Waits until a person may have acted, while a question of the vault is open.
  ///
  /// Returns false if the deadline passed, or if `ending` is readable: the vault has ended the
  /// prompt.
  public static func wait(
    for input: Int32,
    ending: Int32,
    interrupt: Int32?,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    try Readiness.unlessInterrupted(
      for: ending,
      input: input,
      interrupt: interrupt,
      deadline: deadline
    ) == .input
  }
}
