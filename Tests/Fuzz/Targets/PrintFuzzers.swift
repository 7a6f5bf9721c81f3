internal import FingerprintReader
internal import SecretMemory

extension Fuzzer {
  /// A print as a store or fprintd has it, after one choice: its claimed finger.
  ///
  /// Accepted prints go to fp_print_deserialize, which ends the process if an assertion fails.
  static let prints = Fuzzer("prints", maximum: StoredPrint.maximumCount + 1) { input in
    let finger = input.choice(Finger.allCases)
    let print = try StoredPrint(input.secret(), finger: finger)
    demand(print.finger == finger && print.digest.count == 32, "a print is of another finger")
    unsafe release(print.deserialized())
  }
}
