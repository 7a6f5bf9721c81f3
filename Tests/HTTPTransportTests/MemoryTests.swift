import Glibc
import HTTPTransport
import SecretMemory
import System
import TestSupport
import Testing

/// The memory after a request, searched in its own process.
struct MemoryTests {
  @Test(arguments: [false, true])
  func noCopyOfRequestOrAnswerStays(tls: Bool) async {
    await #expect(processExitsWith: .success) { [tls] in
      let certificates = try DevBackendCertificates()
      let files = [certificates.path("leaf.pem"), certificates.path("leaf.key")]
      let backend = try DevBackend(tls ? ["--tls"] + files : [])
      // The text to look for is never in memory that is searched.
      let sent = try SecretBytes.letters(count: 64, first: "a", step: 5)
      let received = try SecretBytes.letters(count: 64, first: "x", step: 0)
      try backend.fail(DevBackendFault("*", .huge, size: 20_000))
      var request = HTTPRequest(method: "POST", url: backend.url + "/auth/refresh")
      request.authorities = try certificates.text("ca.pem")
      request.body = SharedSecret(try .letters(count: 10_000, first: "a", step: 5))
      request.credentials = SharedSecret(try .letters(count: 500, first: "A", step: 7))
      let shown = try SecretBytes.letters(count: 64, first: "A", step: 7)
      let answer = try request.send()
      #expect(answer.status == 200 && answer.body.count > 20_000)
      #expect(try copies(of: sent) == 0)
      #expect(try copies(of: shown) == 0)
      #expect(try copies(of: received) == 0)
      let exposed = bytes(received)
      #expect(try copies(of: received) > 0)
      _ = consume exposed
    }
  }
}

extension SecretBytes {
  /// Letters, made so that the whole text is never in ordinary memory.
  static func letters(count: Int, first: Unicode.Scalar, step: Int) throws -> SecretBytes {
    unsafe try SecretBytes(capacity: count) { room in
      let start = Int(first.value)
      for index in 0..<count {
        let letter = start + (step == 0 ? 0 : index * step * index % 26)
        unsafe room[index] = UInt8(letter)
      }
      return count
    }
  }
}

/// How often a text occurs in writable memory of this process, without the locked secrets.
func copies(of text: borrowing SecretBytes) throws -> Int {
  let file = try Directory(path: "/proc/\(ThisProcess.identifier)").openForReading("maps")
  let maps = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
  return unsafe text.withUnsafeBytes { needle in
    var found = 0
    let own = UInt(bitPattern: needle.baseAddress)
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      // Locked secrets are in the region that contains the text itself.
      guard fields[1].hasPrefix("rw"), ends.count == 2, !(ends[0]..<ends[1]).contains(own),
        !line.contains("[v")
      else { continue }
      var at = ends[0]
      while at + UInt(needle.count) <= ends[1] {
        let count = Int(ends[1] - at) - needle.count + 1
        guard let rest = unsafe UnsafeRawPointer(bitPattern: at),
          let hit = unsafe memchr(rest, Int32(needle[0]), count)
        else { break }
        if let text = needle.baseAddress, unsafe memcmp(hit, text, needle.count) == 0 { found += 1 }
        at = UInt(bitPattern: hit) + 1
      }
    }
    return found
  }
}
