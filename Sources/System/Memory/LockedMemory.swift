internal import CLinux
internal import Glibc

/// A region of memory that is never swapped, dumped or inherited by a child, with an inaccessible
/// page on each side.
@safe
package struct LockedMemory: ~Copyable, @unchecked Sendable {
  /// How the region is kept out of swap, best first.
  package enum Protection: Sendable, Equatable, CaseIterable {
    /// memfd_secret(2): not mapped in the kernel either, so that root's /proc/PID/mem fails.
    case secretMemory
    /// mlock(2): never swapped.
    case locked
    /// Neither is available (RLIMIT_MEMLOCK is 0): ordinary memory, still wiped and not dumped.
    case ordinary
  }

  /// The first usable byte.
  package let base: UnsafeMutableRawPointer
  /// The number of usable bytes, a multiple of the page size.
  package let count: Int
  /// The protection that the kernel granted.
  package let protection: Protection
  private let page: Int

  /// Maps a region of at least `minimumCount` bytes with the first available protection.
  ///
  /// - Throws: the error of the last protection tried, if none is available.
  package init(
    minimumCount: Int,
    trying protections: [Protection] = Protection.allCases
  ) throws(SystemError) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    guard minimumCount > 0, minimumCount <= Int.max - 3 * page else {
      throw SystemError("mmap", code: EINVAL)
    }
    let count = (minimumCount + page - 1) / page * page
    var failure = SystemError("mmap", code: EINVAL)
    for protection in protections {
      do throws(SystemError) {
        unsafe base = try Self.map(count, page, protection)
        self.count = count
        self.protection = protection
        self.page = page
        return
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Unmaps the region.
  ///
  /// Its user has wiped it. To wipe it here would map each page that is unused.
  deinit {
    unsafe munmap(base - page, count + 2 * page)
  }

  /// Maps the region and its guard pages as one piece, and returns the start of the region.
  ///
  /// It uses one mmap(2) at an address of the kernel's choice. MAP_FIXED over a reservation leaves
  /// a hole when it fails, and another thread's mapping may fill it before the next attempt.
  private static func map(
    _ count: Int,
    _ page: Int,
    _ protection: Protection
  ) throws(SystemError) -> UnsafeMutableRawPointer {
    let whole = count + 2 * page
    var flags = MAP_PRIVATE | MAP_ANONYMOUS
    var file: Int32 = -1
    if protection == .secretMemory {
      file = Int32(try check(Int(clinux_memfd_secret()), "memfd_secret"))
      flags = MAP_SHARED
    }
    defer { if file >= 0 { _ = close(file) } }
    if file >= 0, ftruncate(file, whole) != 0 { throw SystemError("ftruncate", code: errno) }
    // The kernel charges a secretmem area to RLIMIT_MEMLOCK here, and fails with EAGAIN beyond it.
    let mapped = unsafe mmap(nil, whole, PROT_READ | PROT_WRITE, flags, file, 0)
    guard let start = unsafe mapped, unsafe start != MAP_FAILED else {
      throw SystemError("mmap", code: errno)
    }
    let base = unsafe start + page
    do throws(SystemError) {
      unsafe try succeed(mprotect(start, page, PROT_NONE), "mprotect")
      unsafe try succeed(mprotect(base + count, page, PROT_NONE), "mprotect")
      if protection == .locked { unsafe try succeed(mlock(base, count), "mlock") }
      unsafe try succeed(madvise(base, count, MADV_DONTDUMP), "madvise MADV_DONTDUMP")
      unsafe try succeed(madvise(base, count, MADV_DONTFORK), "madvise MADV_DONTFORK")
    } catch {
      unsafe munmap(start, whole)
      throw error
    }
    return unsafe base
  }

  private static func succeed(_ status: Int32, _ call: String) throws(SystemError) {
    guard status == 0 else { throw SystemError(call, code: errno) }
  }
}

/// Overwrites memory in a way that the compiler does not remove (explicit_bzero(3)).
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let base = buffer.baseAddress else { return }
  unsafe explicit_bzero(base, buffer.count)
}

/// Copies secret bytes, and leaves none of them in the processor's vector registers.
///
/// memcpy(3) leaves them there. The dynamic linker saves these registers on the stack when it looks
/// up the next function.
package func copySecret(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
  guard let source = bytes.baseAddress else { return }
  unsafe clinux_copy_secret(target, source, bytes.count)
}
