internal import Glibc
internal import System

/// What an engine that nobody asks does not keep.
enum QuietMemory {
  /// Lets go of the pages of program code.
  ///
  /// Code lies in the page cache, of which a fault maps sixteen pages for each one that is needed
  /// (proc(5), smaps). What is needed again is mapped again, without a read from the disk.
  static func giveBack() {
    guard let directory = try? Directory(path: "/proc/\(ThisProcess.identifier)"),
      let maps = try? directory.openForReading("maps").readAll(limit: 1 << 20)
    else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      guard let range = codeRange(String(decoding: line, as: UTF8.self)),
        let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
      else { continue }
      // madvise(2), MADV_DONTNEED: "subsequent accesses ... will result in ... repopulating the memory
      // contents from the up-to-date contents of the underlying mapped file". Nothing can have been
      // written to a mapping without the right to, which a relocation would have needed.
      _ = unsafe madvise(start, range.count, MADV_DONTNEED)
    }
  }

  /// The addresses of a line of /proc/PID/maps, if it is of code in a file.
  static func codeRange(_ line: String) -> Range<UInt>? {
    let fields = line.split(separator: " ", omittingEmptySubsequences: true)
    guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { return nil }
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard ends.count == 2, ends[0] > 0, ends[0] < ends[1] else { return nil }
    return ends[0]..<ends[1]
  }
}
