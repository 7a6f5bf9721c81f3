internal import Glibc
public import System

/// One mapping of this process (proc(5), /proc/pid/smaps).
public struct MemoryMapping: Sendable {
  /// The first address.
  public let start: UInt
  /// The address after the last one.
  public let end: UInt
  /// The permissions, such as `rw-p`.
  public let permissions: String
  /// The kernel's two-letter flags: `dc` not inherited by fork(2), `dd` not dumped, `lo` locked.
  public let flags: Set<String>

  /// Whether it is a region for secrets: readable, and neither dumped nor inherited.
  public var holdsSecrets: Bool {
    permissions.hasPrefix("rw") && flags.contains("dd") && flags.contains("dc")
  }

  /// Whether the address is in the mapping.
  public func contains(_ address: UInt) -> Bool { (start..<end).contains(address) }
}

/// This process's memory as an attacker of the same user sees it.
public enum ProcessMemory {
  /// All mappings, in the order of their addresses.
  public static func mappings() throws(SystemError) -> [MemoryMapping] {
    let text = String(decoding: try open("smaps").readAll(limit: 1 << 24), as: UTF8.self)
    var mappings: [MemoryMapping] = []
    var current: (start: UInt, end: UInt, permissions: String)?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let first = words.first else { continue }
      let ends = first.split(separator: "-")
      if ends.count == 2, words.count > 1, let start = UInt(ends[0], radix: 16),
        let end = UInt(ends[1], radix: 16)
      {
        current = (start, end, String(words[1]))
      } else if first == "VmFlags:", let (start, end, permissions) = current {
        mappings.append(
          MemoryMapping(
            start: start,
            end: end,
            permissions: permissions,
            flags: Set(words.dropFirst().map(String.init))
          )
        )
      }
    }
    return mappings
  }

  /// Reads through /proc/pid/mem, as a debugger does, at most `buffer.count` bytes.
  public static func read(
    at address: UInt,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    unsafe try open("mem").read(into: buffer, at: Int(address))
  }

  /// How often a secret occurs in readable memory outside the regions for secrets.
  ///
  /// The needle itself must be in such a region, or it is found.
  public static func copies(of needle: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    let size = 1 << 20
    // The window's own memory is skipped by its address, because it contains the bytes just read.
    let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let base = unsafe mapped, unsafe base != MAP_FAILED else {
      throw SystemError("mmap", code: errno)
    }
    defer { unsafe munmap(base, size) }
    let window = unsafe UnsafeMutableRawBufferPointer(start: base, count: size)
    let own = UInt(bitPattern: base)..<UInt(bitPattern: base) + UInt(size)
    let memory = try open("mem")
    var found = 0
    for mapping in try mappings()
    where mapping.permissions.hasPrefix("rw") && !mapping.holdsSecrets {
      var at = mapping.start
      while at < mapping.end {
        if own.contains(at) {
          at = own.upperBound
          continue
        }
        let limit = at < own.lowerBound ? min(mapping.end, own.lowerBound) : mapping.end
        let count = min(size, Int(limit - at))
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: window.prefix(count))
        // A mapping may disappear during the read, and a device's mapping cannot be read at all.
        guard let got = unsafe try? memory.read(into: part, at: Int(at)), got > 0 else { break }
        let read = unsafe UnsafeRawBufferPointer(rebasing: part.prefix(got))
        found += unsafe occurrences(of: needle, in: read)
        // Step back by the needle, so that a copy across two windows is found. A double count is
        // also a find.
        let step = got == size ? size - needle.count : got
        at += UInt(max(1, step))
      }
    }
    return found
  }

  /// How often the needle occurs in a buffer.
  public static func occurrences(
    of needle: UnsafeRawBufferPointer,
    in haystack: UnsafeRawBufferPointer
  ) -> Int {
    guard let first = unsafe needle.first, let base = haystack.baseAddress,
      let start = needle.baseAddress
    else { return 0 }
    var found = 0
    var offset = 0
    while haystack.count - offset >= needle.count {
      let room = haystack.count - offset - needle.count + 1
      guard let hit = unsafe memchr(base + offset, Int32(first), room) else { break }
      if unsafe memcmp(hit, start, needle.count) == 0 { found += 1 }
      offset = unsafe UnsafeRawPointer(hit) - base + 1
    }
    return found
  }

  private static func open(_ name: String) throws(SystemError) -> Descriptor {
    try Directory(path: "/proc/\(ThisProcess.identifier)").openForReading(name)
  }
}
