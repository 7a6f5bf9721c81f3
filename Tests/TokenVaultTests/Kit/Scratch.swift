import Glibc
import System
import TestSupport

/// A directory of one test, removed with its owner.
///
/// `path` is for a state directory.
final class Scratch: Sendable {
  private let directory: ScratchDirectory
  var base: String { directory.path }
  var path: String { base + "/vault" }

  init() throws {
    directory = try ScratchDirectory()
  }

  /// Mounts a file system of this many pages in its place, or changes the size of that one.
  func mountSmall(pages: Int, remount: Bool = false) throws {
    let options = "size=\(pages * 4096),mode=0700"
    guard unsafe mount("none", base, "tmpfs", remount ? 32 : 0, options) == 0 else {
      throw SystemError("mount", code: errno)
    }
  }

  /// Uses up the rest of the file system.
  func fill() throws {
    let number = unsafe open(base + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SystemError("open", code: errno) }
    let file = Descriptor(owning: number)
    while (try? file.write([UInt8](repeating: 0x66, count: 4096))) != nil {}
  }

  /// Makes room again.
  func clear() throws {
    // Cut first: a child of another test that has not reached its exec yet may have the file open,
    // and would keep its pages.
    guard unsafe truncate(base + "/filler", 0) == 0 else {
      throw SystemError("truncate", code: errno)
    }
    guard unsafe unlink(base + "/filler") == 0 else { throw SystemError("unlink", code: errno) }
  }

  /// The files beneath the state directory, by their paths there, with their bytes.
  func files() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    let folders = ["slots", "tokens", "machine-key"]
    let isMade = try Directory(path: path).contains("machine-key")
    for folder in ["", "slots/", "tokens/"] + (isMade ? ["machine-key/"] : []) {
      let directory = try Directory(path: path + "/" + folder.dropLast())
      for name in try directory.names() where !folders.contains(folder + name) {
        found[folder + name] = try directory.openForReading(name).readAll(limit: 1 << 26)
      }
    }
    return found
  }
}

/// The files that contain a marker in plain text, as base64 at any offset, or escaped in JSON.
func locations(of marker: String, in files: [String: [UInt8]]) -> [String] {
  let plain = Array(marker.utf8)
  let escaped = plain.flatMap { Array("\\u00".utf8) + hexadecimal($0) }
  var needles = [plain, escaped, Array(hexadecimalText(plain).utf8)]
  // The first and last characters of base64 depend on the neighbouring bytes.
  for offset in 0..<3 {
    let padded = [UInt8](repeating: 0x78, count: offset) + plain
    let text = base64(padded)
    needles.append(Array(text.dropFirst(offset == 0 ? 0 : 4).prefix(plain.count)))
  }
  return files.filter { file in needles.contains { holds(file.value, $0) } }.map(\.key).sorted()
}

private func hexadecimal(_ byte: UInt8) -> [UInt8] {
  Array(hexadecimalText([byte]).utf8)
}

private func hexadecimalText(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func base64(_ bytes: [UInt8]) -> [UInt8] {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count - bytes.count % 3, by: 3) {
    let group =
      Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
    for shift in [18, 12, 6, 0] { text.append(letters[group >> shift & 63]) }
  }
  return text
}

/// Whether the bytes contain the needle.
func holds(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
  guard let first = needle.first, needle.count <= bytes.count else { return false }
  return unsafe bytes.withUnsafeBytes { haystack in
    unsafe needle.withUnsafeBytes { needle in
      guard let base = haystack.baseAddress, let wanted = needle.baseAddress else {
        return false
      }
      var at = 0
      while at + needle.count <= haystack.count,
        let found = unsafe memchr(base + at, Int32(first), haystack.count - at)
      {
        at = unsafe UnsafeRawPointer(found) - base
        guard at + needle.count <= haystack.count else { return false }
        if unsafe memcmp(base + at, wanted, needle.count) == 0 { return true }
        at += 1
      }
      return false
    }
  }
}
