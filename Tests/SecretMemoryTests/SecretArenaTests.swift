import Glibc
import SecretMemory
import System
import Testing

@Suite
struct SecretArenaTests {
  /// A secret from the arena, with the bytes that the test expects.
  @safe
  private struct Held {
    let allocation: SecretArena.Allocation
    let base: UnsafeMutableRawPointer
    let count: Int
    let fill: UInt8

    var addresses: Range<UInt> {
      let rounded = max(1, (count + 63) / 64) * 64
      return unsafe UInt(bitPattern: base)..<UInt(bitPattern: base) + UInt(rounded)
    }

    func holds(_ byte: UInt8) -> Bool {
      guard count > 0 else { return true }
      // All bytes are equal if each equals the next.
      return unsafe base.load(as: UInt8.self) == byte && memcmp(base, base + 1, count - 1) == 0
    }

    func write() {
      unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        .initializeMemory(as: UInt8.self, repeating: fill)
    }
  }

  @Test(arguments: [1, 2, 3, 4])
  func thousandsOfSecretsComeAndGoWithoutTouchingOneAnother(seed: UInt64) throws {
    var random = Generator(state: seed)
    let arena = SecretArena(sizes: [1 << 16])
    var held: [Held] = []
    for step in 0..<6000 {
      // Mostly allocate for a while, then mostly free for a while.
      if held.isEmpty || random.next(below: 100) < (step / 500 % 2 == 0 ? 60 : 40) {
        let longest = [16, 200, 3000, 70_000][random.next(below: 4)]
        let count = random.next(below: longest)
        let (allocation, base) = unsafe try arena.allocate(count)
        let new = unsafe Held(
          allocation: allocation,
          base: base,
          count: count,
          fill: UInt8(random.next(below: 255) + 1)
        )
        #expect(new.holds(0))
        #expect(!held.contains { $0.addresses.overlaps(new.addresses) })
        new.write()
        held.append(new)
      } else {
        let gone = held.remove(at: random.next(below: held.count))
        #expect(gone.holds(gone.fill))
        unsafe arena.release(gone.allocation, gone.base)
      }
    }
    for gone in held {
      #expect(gone.holds(gone.fill))
      unsafe arena.release(gone.allocation, gone.base)
    }
    // All runs have been joined again, and only the first region is left.
    #expect(arena.usage.regions == 1)
    let whole = arena.usage.free
    let (allocation, base) = unsafe try arena.allocate(1)
    #expect(arena.usage == (1, whole - SecretArena.granule))
    unsafe arena.release(allocation, base)
  }

  @Test
  func aFullRegionIsFollowedByAnother() throws {
    let arena = SecretArena(sizes: [1 << 15])
    var held = unsafe [try arena.allocate(1 << 15), try arena.allocate(1 << 15)]
    #expect(arena.usage == (2, 0))
    unsafe held += unsafe [try arena.allocate(64)]
    #expect(arena.usage.regions == 3)
    while let last = unsafe held.popLast() { unsafe arena.release(last.0, last.1) }
    #expect(arena.usage == (1, 1 << 15))
  }

  @Test
  func aProgramThatKeepsNothingHasNoRegionWithoutASecret() throws {
    let arena = SecretArena(sizes: [1 << 15])
    let before = unsafe try arena.allocate(1)
    unsafe arena.release(before.0, before.1)
    #expect(arena.usage.regions == 1)
    arena.keepNothing()
    #expect(arena.usage == (0, 0))
    var held = unsafe [try arena.allocate(1 << 15), try arena.allocate(64)]
    while let last = unsafe held.popLast() { unsafe arena.release(last.0, last.1) }
    #expect(arena.usage == (0, 0))
  }

  @Test
  func aSecretLongerThanARegionIsHeld() throws {
    let arena = SecretArena(sizes: [1 << 15])
    let (allocation, base) = unsafe try arena.allocate(100_000)
    unsafe UnsafeMutableRawBufferPointer(start: base, count: 100_000)
      .initializeMemory(as: UInt8.self, repeating: 1)
    unsafe arena.release(allocation, base)
  }

  @Test
  func threadsShareTheArena() async {
    await withTaskGroup(of: Bool.self) { group in
      for worker in 1...8 {
        group.addTask {
          (0..<500).allSatisfy { round in
            guard
              let secret = try? SecretBytes(
                copying: [UInt8](repeating: UInt8(worker), count: round)
              )
            else { return false }
            return secret.withBytes { span in
              span.indices.allSatisfy { span[$0] == UInt8(worker) }
            }
          }
        }
      }
      for await intact in group { #expect(intact) }
    }
  }
}

/// A small generator with the same numbers for the same seed (Vigna, splitmix64).
private struct Generator {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
