internal import Synchronization
package import System

/// The locked memory of this process, which holds every `SecretBytes`.
///
/// One region serves many secrets, because mapping and guarding a region takes 40 µs and a share of
/// RLIMIT_MEMLOCK. Another region is added when all are full, and released when it is empty again.
/// The last region is kept, unless `keepsNothing` is set.
@safe
package final class SecretArena: Sendable {
  static let shared = SecretArena()

  /// Secrets begin and end at multiples of this, so that no two share a cache line.
  package static let granule = 64
  /// The sizes of a region, tried in order: RLIMIT_MEMLOCK may have room only for the last one.
  package static let usualSizes = [1 << 20, 1 << 18, 1 << 15]

  /// The location of a secret: the region's number and the range in it.
  package struct Allocation: Sendable {
    let region: Int
    let offset: Int
    let capacity: Int
  }

  private typealias Run = (offset: Int, count: Int)

  private struct Region {
    let memory: SharedMemory
    /// The free ranges by offset, never adjacent to one another.
    var free: [Run]

    var isEmpty: Bool { free.count == 1 && free[0].count == memory.region.count }

    /// Takes the first range that is long enough.
    mutating func cut(_ wanted: Int) -> Int? {
      guard let index = free.firstIndex(where: { $0.count >= wanted }) else { return nil }
      let offset = free[index].offset
      if free[index].count == wanted {
        free.remove(at: index)
      } else {
        free[index] = (offset + wanted, free[index].count - wanted)
      }
      return offset
    }

    /// Returns a range and merges it with its neighbours.
    mutating func restore(_ run: Run) {
      let index = free.firstIndex { $0.offset > run.offset } ?? free.endIndex
      free.insert(run, at: index)
      if index + 1 < free.count, run.offset + run.count == free[index + 1].offset {
        free[index].count += free[index + 1].count
        free.remove(at: index + 1)
      }
      if index > 0, free[index - 1].offset + free[index - 1].count == run.offset {
        free[index - 1].count += free[index].count
        free.remove(at: index)
      }
    }
  }

  private final class SharedMemory: Sendable {
    let region: LockedMemory
    init(_ region: consuming LockedMemory) { self.region = region }
  }

  private let sizes: [Int]
  /// Whether the last region is released too when it is empty.
  private let keepsNothing = Atomic(false)
  /// The regions by number; a new region reuses the number of a released one.
  private let regions = Mutex<[Region?]>([])

  /// Makes a separate arena whose regions have the first of these sizes that the kernel grants.
  package init(sizes: [Int] = usualSizes) {
    self.sizes = sizes
  }

  /// Allocates `count` bytes, rounded up, all zero.
  package func allocate(
    _ count: Int
  ) throws(SecretMemoryError) -> (Allocation, UnsafeMutableRawPointer) {
    guard (0...SecretBytes.maximumCount).contains(count) else { throw .tooLong(count) }
    let wanted = max(1, (count + Self.granule - 1) / Self.granule) * Self.granule
    return unsafe try regions.withLock { regions throws(SecretMemoryError) in
      for number in regions.indices {
        guard let offset = regions[number]?.cut(wanted), let region = regions[number] else {
          continue
        }
        let allocation = Allocation(region: number, offset: offset, capacity: wanted)
        return unsafe (allocation, region.memory.region.base + offset)
      }
      let memory = try map(holding: wanted)
      var region = Region(memory: memory, free: [(0, memory.region.count)])
      let offset = region.cut(wanted) ?? 0
      let number = regions.firstIndex { $0 == nil } ?? regions.endIndex
      if number == regions.endIndex {
        regions.append(region)
      } else {
        regions[number] = region
      }
      let allocation = Allocation(region: number, offset: offset, capacity: wanted)
      return unsafe (allocation, memory.region.base + offset)
    }
  }

  /// Wipes the bytes and releases them.
  package func release(_ allocation: Allocation, _ base: UnsafeMutableRawPointer) {
    unsafe wipe(UnsafeMutableRawBufferPointer(start: base, count: allocation.capacity))
    // It is unmapped after the lock.
    let unused = regions.withLock { regions -> SharedMemory? in
      regions[allocation.region]?.restore((allocation.offset, allocation.capacity))
      guard allocation.region > 0 || keepsNothing.load(ordering: .relaxed),
        let region = regions[allocation.region], region.isEmpty
      else { return nil }
      regions[allocation.region] = nil
      return region.memory
    }
    withExtendedLifetime(unused) {}
  }

  /// Releases the last region as well when it is empty, from now on.
  package func keepNothing() {
    keepsNothing.store(true, ordering: .relaxed)
    guard let (allocation, base) = unsafe try? allocate(1) else { return }
    unsafe release(allocation, base)
  }

  /// The weakest protection among the regions.
  ///
  /// If there is no region, it is that of the next secret's region.
  package func protection() throws(SecretMemoryError) -> LockedMemory.Protection {
    let (allocation, base) = unsafe try allocate(1)
    defer { unsafe release(allocation, base) }
    let held = regions.withLock { regions in
      regions.compactMap { $0?.memory.region.protection }
    }
    return LockedMemory.Protection.allCases.last { held.contains($0) } ?? .ordinary
  }

  /// The number of regions, and the free bytes in them.
  package var usage: (regions: Int, free: Int) {
    regions.withLock { regions in
      let held = regions.compactMap { $0 }
      return (held.count, held.reduce(0) { $0 + $1.free.reduce(0) { $0 + $1.count } })
    }
  }

  /// The largest protected region that the kernel grants, or else ordinary memory.
  private func map(holding wanted: Int) throws(SecretMemoryError) -> SharedMemory {
    for size in sizes where size >= wanted {
      if let memory = try? LockedMemory(minimumCount: size, trying: [.secretMemory, .locked]) {
        return SharedMemory(memory)
      }
    }
    do throws(SystemError) {
      let size = max(wanted, sizes.first ?? wanted)
      return SharedMemory(try LockedMemory(minimumCount: size, trying: [.ordinary]))
    } catch {
      throw .noMemory(error)
    }
  }
}
