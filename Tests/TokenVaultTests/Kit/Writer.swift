import Storage
import TestSupport

/// A process that changes a vault, and is stopped at one of its system calls.
struct Writer {
  /// The change that the process makes.
  enum Deed: String {
    case rekey
    /// The machine key is made, and the vault is brought under it.
    case adopt
    /// The account `work` gets the provider of `laterProvider`.
    case apply
    /// The accounts of the backup beside the state directory are restored.
    case restore
  }

  private let bench: Bench
  private let deed: Deed

  init(_ bench: Bench, _ deed: Deed = .rekey) {
    self.bench = bench
    self.deed = deed
  }

  /// Runs the process with an injection at call number `number`.
  ///
  /// The lines that it wrote, or `nil` if it ended before that call.
  func stopped(
    at call: String,
    _ number: Int,
    _ injection: StoppedProgram.Injection
  ) throws -> [String]? {
    try StoppedProgram(
      "KeyWriter",
      [bench.scratch.path, deed.rawValue, bench.scratch.base],
      base: bench.scratch.base,
      refusal: "error \(StorageError.inUse)"
    ).stopped(at: call, number, injection)
  }
}
