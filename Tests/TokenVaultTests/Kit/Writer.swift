import Storage
import TestSupport

/// A process that changes a vault, and is stopped at one of its system calls.
struct Writer {
  /// The change that the process makes.
  enum Deed: String {
    case rekey
    /// The machine key is made, and the vault is brought under it.
    case adopt
    /// The same with a security key in place of the TPM.
    case adoptByKey = "adopt-by-key"
    /// The account `work` gets the provider of `laterProvider`.
    case apply
    /// The accounts of the backup next to the state directory are restored.
    case restore
  }

  private let bench: Bench
  private let deed: Deed

  init(_ bench: Bench, _ deed: Deed = .rekey) {
    self.bench = bench
    self.deed = deed
  }

  /// Makes the change in copies of a state, stopped at each of the calls, and once without a stop.
  ///
  /// `prepare` completes a copy. `judge` gets the copy afterwards, with the lines of the process,
  /// or only `done` without a stop. Returns the number of stops, and the results of `judge`.
  static func stopped(
    _ deed: Deed,
    of made: Bench,
    at call: String,
    _ injection: StoppedProgram.Injection,
    prepare: (Bench) throws -> Void = { _ in },
    judge: (Bench, [String]) async throws -> Bool
  ) async throws -> (stops: Int, outcomes: Set<Bool>) {
    var stops = 0
    var outcomes: Set<Bool> = []
    while true {
      let bench = try made.snapshot()
      try prepare(bench)
      let lines = try Writer(bench, deed).stopped(at: call, stops + 1, injection)
      outcomes.insert(try await judge(bench, lines ?? ["done"]))
      guard lines != nil else { return (stops, outcomes) }
      stops += 1
    }
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
