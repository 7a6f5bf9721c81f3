internal import CLinux
internal import Glibc

/// One region of memory that is never swapped, never dumped and never inherited by a child, with
/// an inaccessible page on either side.
@safe
public struct LockedMemory: ~Copyable, @unchecked Sendable {
  /// How the region is kept out of swap.
  public enum Protection: Sendable, Equatable {
    /// memfd_secret(2): not mapped in the kernel either, so that root's /proc/PID/mem fails.
    case secretMemory
    /// mlock(2): never swapped.
    case locked
    /// Neither could be had (RLIMIT_MEMLOCK is 0): ordinary memory, still wiped and not dumped.
    case ordinary
  }

  /// The first usable byte.
  public let base: UnsafeMutableRawPointer
  /// The number of usable bytes, a multiple of the page size.
  public let count: Int
  /// What the kernel granted.
  public let protection: Protection
  private let whole: Int

  /// Maps a region of at least `minimumCount` bytes.
  ///
  /// - Throws: the error of mmap(2), where not even ordinary memory can be had.
  public init(minimumCount: Int) throws(SystemError) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let count = (minimumCount + page - 1) / page * page
    let whole = count + 2 * page
    // Reserve the guard pages and the region at once, then put memory over the middle.
    let reserved = unsafe mmap(nil, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let reserved = unsafe reserved, unsafe reserved != MAP_FAILED else {
      throw SystemError("mmap", code: errno)
    }
    let base = unsafe reserved + page
    let protection = unsafe Self.fill(base, count)
    guard let protection else {
      let code = errno
      unsafe munmap(reserved, whole)
      throw SystemError("mmap", code: code)
    }
    // A secretmem area refuses MADV_DONTDUMP on some kernels, and is not dumped anyway.
    _ = unsafe madvise(base, count, MADV_DONTDUMP)
    guard unsafe madvise(base, count, MADV_DONTFORK) == 0 else {
      let code = errno
      unsafe munmap(reserved, whole)
      throw SystemError("madvise MADV_DONTFORK", code: code)
    }
    unsafe self.base = base
    self.count = count
    self.protection = protection
    self.whole = whole
  }

  deinit {
    unsafe explicit_bzero(base, count)
    unsafe munmap(base - (whole - count) / 2, whole)
  }

  private static func fill(_ base: UnsafeMutableRawPointer, _ count: Int) -> Protection? {
    let secret = clinux_memfd_secret()
    if secret >= 0 {
      defer { _ = close(secret) }
      // mmap(2) of a secretmem area is charged to RLIMIT_MEMLOCK and fails with EAGAIN beyond it.
      if ftruncate(secret, count) == 0,
        unsafe mmap(base, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, secret, 0)
          != MAP_FAILED
      {
        return .secretMemory
      }
    }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
    guard unsafe mmap(base, count, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED else {
      return nil
    }
    return unsafe mlock(base, count) == 0 ? .locked : .ordinary
  }
}

/// Overwrites memory in a way that the compiler does not remove (explicit_bzero(3)).
public func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let base = buffer.baseAddress else { return }
  unsafe explicit_bzero(base, buffer.count)
}
