internal import Glibc
internal import System

/// The memory that an idle engine can release.
enum MemoryTrim {
  /// Releases the pages of program code.
  ///
  /// Code is in the page cache, of which a page fault maps sixteen pages for each page that is
  /// needed (proc(5), smaps). Pages that are needed again are mapped again, without a read from the
  /// disk.
  static func giveBack() {
    guard let directory = try? Directory(path: "/proc/\(ThisProcess.identifier)"),
      let maps = try? directory.openForReading("maps").readAll(limit: 1 << 20)
    else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      guard let range = codeRange(String(decoding: line, as: UTF8.self)),
        let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
      else { continue }
      // madvise(2), MADV_DONTNEED: "subsequent accesses ... will result in ... repopulating the
      // memory contents from the up-to-date contents of the underlying mapped file". The mapping is
      // not writable, so it holds no changes. A relocation would have needed the right to write.
      _ = unsafe madvise(start, range.count, MADV_DONTNEED)
    }
  }

  /// The addresses in a line of /proc/PID/maps if it is code of a file; else `nil`.
  static func codeRange(_ line: String) -> Range<UInt>? {
    let fields = line.split(separator: " ", omittingEmptySubsequences: true)
    guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard ends.count == 2, ends[0] > 0, ends[0] < ends[1] else { return nil }
    return ends[0]..<ends[1]
  }
}
