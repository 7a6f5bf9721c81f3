internal import Synchronization
internal import System

/// The one region of locked memory of this process, from which every `SecretBytes` is cut.
///
/// One region, because mapping and guarding one takes 40 µs, and each takes a share of
/// RLIMIT_MEMLOCK. A further region is added only when the first is full.
@safe
final class SecretArena: Sendable {
  /// The arena of this process.
  static let shared = SecretArena()

  /// Where a secret lies: the region's number, and the bytes that were cut from it.
  struct Place: Sendable {
    let region: Int
    let offset: Int
    let capacity: Int
  }

  private static let granule = 64
  private static let regionSize = 1 << 20

  @safe
  private final class RegionBox: @unchecked Sendable {
    let memory: LockedMemory
    init(_ memory: consuming LockedMemory) { self.memory = memory }
  }

  private struct State {
    var regions: [RegionBox] = []
    /// Of each region, the free runs by offset, never adjacent to one another.
    var free: [[(offset: Int, count: Int)]] = []
  }

  private let state = Mutex(State())

  /// Cuts `count` bytes, rounded up, all zero.
  func allocate(_ count: Int) throws(SecretMemoryError) -> (Place, UnsafeMutableRawPointer) {
    let wanted = max(1, (count + Self.granule - 1) / Self.granule) * Self.granule
    guard wanted <= SecretBytes.maximumCount + Self.granule else {
      throw SecretMemoryError.tooLong(count)
    }
    return unsafe try state.withLock { state throws(SecretMemoryError) in
      for region in state.free.indices {
        for (index, run) in state.free[region].enumerated() where run.count >= wanted {
          if run.count == wanted {
            state.free[region].remove(at: index)
          } else {
            state.free[region][index] = (run.offset + wanted, run.count - wanted)
          }
          let place = Place(region: region, offset: run.offset, capacity: wanted)
          return unsafe (place, state.regions[region].memory.base + run.offset)
        }
      }
      let box: RegionBox
      do throws(SystemError) {
        box = RegionBox(try LockedMemory(minimumCount: Self.regionSize))
      } catch {
        throw SecretMemoryError.noMemory(error)
      }
      state.regions.append(box)
      state.free.append([(wanted, box.memory.count - wanted)])
      let place = Place(region: state.regions.count - 1, offset: 0, capacity: wanted)
      return unsafe (place, box.memory.base)
    }
  }

  /// Wipes the bytes and gives them back.
  func release(_ place: Place, _ base: UnsafeMutableRawPointer) {
    unsafe wipe(UnsafeMutableRawBufferPointer(start: base, count: place.capacity))
    state.withLock { state in
      var runs = state.free[place.region]
      let index = runs.firstIndex { $0.offset > place.offset } ?? runs.endIndex
      runs.insert((place.offset, place.capacity), at: index)
      if index + 1 < runs.count, runs[index].offset + runs[index].count == runs[index + 1].offset {
        runs[index].count += runs[index + 1].count
        runs.remove(at: index + 1)
      }
      if index > 0, runs[index - 1].offset + runs[index - 1].count == runs[index].offset {
        runs[index - 1].count += runs[index].count
        runs.remove(at: index)
      }
      state.free[place.region] = runs
    }
  }

  /// What the kernel granted for the first region, for `doctor`.
  var protection: LockedMemory.Protection? {
    state.withLock { $0.regions.first?.memory.protection }
  }
}
