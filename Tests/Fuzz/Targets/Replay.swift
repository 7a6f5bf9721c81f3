internal import FuzzMeter
internal import Glibc
internal import System

/// The main function of a program without libFuzzer: examines the inputs that are named as
/// arguments.
///
/// - `--list` prints the fuzzers.
/// - `--swell=SECONDS` examines inputs made of the named ones for that time, with random numbers
///   from `--seed=`. It saves those that cost too much in the directory of `--keep=`.
///
/// It prints a line for each input. The exit code is 1 if one costs too much.
@_cdecl("fuzz_replay")
public func fuzzReplay() -> CInt {
  if CommandLine.arguments.contains("--list") {
    for fuzzer in Fuzzer.all {
      print(fuzzer.name, fuzzer.maximum, fuzzer.dictionary ?? "-")
    }
    return 0
  }
  guard let fuzzer = Fuzzer.chosen else {
    note("usage: Fuzz --list | --target=NAME [--swell=SECONDS --seed=N --keep=DIR] FILE...")
    return 2
  }
  fuzzer.run([])
  do {
    let named = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
    let inputs = try named.flatMap(files).map { ($0, try contents(of: $0)) }
    guard let seconds = option("swell").flatMap({ Int64($0) }) else {
      return inputs.filter { !fuzzer.judge($0.1, $0.0) }.isEmpty ? 0 : 1
    }
    return try fuzzer.swell(inputs.map(\.1), seconds) ? 0 : 1
  } catch {
    note("fuzz: \(error)")
    return 2
  }
}

/// The value of an option.
private func option(_ name: String) -> String? {
  let start = "--\(name)="
  let argument = CommandLine.arguments.first { $0.hasPrefix(start) }
  return argument.map { String($0.dropFirst(start.count)) }
}

/// The file, or the files of a directory, by name.
private func files(at path: String) throws -> [String] {
  guard let directory = try? Directory(path: path) else { return [path] }
  return try directory.names().sorted().map { path + "/" + $0 }
}

private func contents(of path: String) throws -> [UInt8] {
  let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
  return try Descriptor(owning: number).readAll(limit: 1 << 24)
}

extension Fuzzer {
  /// Examines an input and prints its cost.
  ///
  /// False if it costs too much.
  fileprivate func judge(_ bytes: [UInt8], _ path: String) -> Bool {
    // Before the run, so that the last line names the input of a crash.
    print(path, terminator: " ")
    fflush(nil)
    let cost = confirmed(bytes)
    let isGood = !cost.isSlow && !cost.isLarge(for: bytes, of: self)
    let verdict = cost.isSlow ? "SLOW" : isGood ? "ok" : "LARGE"
    print("\(bytes.count) bytes, \(cost.milliseconds) ms, \(cost.kibibytes) KiB: \(verdict)")
    return isGood
  }

  /// The cost of an input.
  ///
  /// For a slow one it is the least of five runs, because delays by other processes are not a
  /// finding.
  private func confirmed(_ bytes: [UInt8]) -> Cost {
    var cost = examine(bytes)
    for _ in 1..<5 where cost.isSlow {
      let again = examine(bytes)
      if again.nanoseconds < cost.nanoseconds { cost = again }
    }
    return cost
  }

  /// Swells inputs for some seconds.
  ///
  /// False if inputs that cost too much were saved, eight at most.
  fileprivate func swell(_ inputs: [[UInt8]], _ seconds: Int64) throws -> Bool {
    var dice = Dice(Array((option("seed") ?? "").utf8))
    let directory = try Directory(path: option("keep") ?? ".")
    try directory.unlink("swollen-crash")
    let crash = try directory.create("swollen-crash")
    fuzzmeter_keep(crash.number)
    let end = BootInstant.now.advanced(bySeconds: seconds)
    var kept = 0
    var count = 0
    var slowest: Int64 = 0
    while BootInstant.now < end, kept < 8, let input = inputs.randomElement(using: &dice) {
      var bytes = input.swollen(to: maximum, &dice)
      if Bool.random(using: &dice) { bytes = bytes.swollen(to: maximum, &dice) }
      count += 1
      let cost = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe fuzzmeter_input(buffer.baseAddress, buffer.count)
        return examine(bytes)
      }
      slowest = max(slowest, cost.nanoseconds)
      guard cost.isSlow || cost.isLarge(for: bytes, of: self) else { continue }
      let name = "swollen-\(kept)"
      try directory.unlink(name)
      try directory.create(name).write(bytes)
      if !judge(bytes, (option("keep") ?? ".") + "/" + name) { kept += 1 }
    }
    try directory.unlink("swollen-crash")
    print("swollen: \(count) inputs, slowest \(Double(slowest / 10_000) / 100) ms")
    return kept == 0
  }
}
