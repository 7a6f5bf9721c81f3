internal import FuzzMeter
internal import Glibc

// The functions that libFuzzer calls by name (llvm.org/docs/LibFuzzer.html).

/// Called before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutableRawPointer
) -> CInt {
  guard let fuzzer = Fuzzer.chosen else {
    note("fuzz: --target= takes one of \(Fuzzer.all.map(\.name).joined(separator: ", "))")
    exit(2)
  }
  // Objects that are made once are not part of the first input's cost.
  fuzzer.run([])
  return 0
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let fuzzer = Fuzzer.chosen else { return 0 }
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  let cost = fuzzer.examine(bytes)
  demand(
    !cost.isLarge(for: bytes, of: fuzzer),
    "\(fuzzer.name) held \(cost.kibibytes) KiB for an input of \(bytes.count) bytes"
  )
  if cost.isSlow { Suspects.add(bytes, cost) }
  cost.reach(for: bytes)
  return 0
}

/// Makes a new input from one: by libFuzzer's own changes, by replacing a word in a text, or
/// sometimes by repeating a part of it many times.
@_cdecl("LLVMFuzzerCustomMutator")
public func fuzzerMutate(
  _ start: UnsafeMutablePointer<UInt8>,
  _ count: Int,
  _ room: Int,
  _ seed: UInt32
) -> Int {
  var dice = Dice(unsafe withUnsafeBytes(of: seed) { unsafe Array($0) })
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  let isText = Fuzzer.chosen?.dictionary != nil
  let other: [UInt8]? =
    switch Int.random(in: 0..<32, using: &dice) {
    case 0: bytes.swollen(to: room, &dice)
    case 1..<12 where isText: bytes.reworded(to: room, &dice)
    default: nil
    }
  guard let other else { return unsafe fuzzmeter_mutate(start, count, room) }
  unsafe UnsafeMutableRawBufferPointer(start: start, count: room).copyBytes(from: other)
  return other.count
}
