internal import FuzzMeter
internal import Glibc

// What libFuzzer calls by name (llvm.org/docs/LibFuzzer.html).

/// Before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutableRawPointer
) -> CInt {
  guard let fuzzer = Fuzzer.chosen else {
    note("fuzz: --target= takes one of \(Fuzzer.all.map(\.name).joined(separator: ", "))")
    exit(2)
  }
  // What is made once is no cost of the first input.
  fuzzer.run([])
  return 0
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let fuzzer = Fuzzer.chosen else { return 0 }
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  let cost = fuzzer.examine(bytes)
  demand(
    !cost.isLarge(for: bytes),
    "\(fuzzer.name) held \(cost.kibibytes) KiB for an input of \(bytes.count) bytes"
  )
  if cost.isSlow { Suspects.add(bytes, cost) }
  cost.reach(for: bytes)
  return 0
}

/// Another input made of one: by libFuzzer's own changes, by another word in a text, or, now and then,
/// by a part of it many times over.
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
