import JSON
import SecretMemory
import Testing

/// A generator with a seed, so that a failure can be reproduced (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

private let seeds = [
  "{\"method\":\"io.thumblatch.Vault.AccessToken\",\"parameters\":{\"account\":\"me\",\"n\":10}}",
  "{\"a\":[1,-2.5e+10,true,false,null,\"x\\u00e9\\ud83d\\ude00\\n\"],\"b\":{\"c\":[[[]]]}}",
  "{\"key\":\"s\\u0065cr\\u20ac\\\"t\\\\\",\"other\":{\"key\":[\"\\ud83d\\ude00\",{}]}}",
  "[\"é€😀\",0,0.0,-0,1E-9,[{}],\"\\/\\b\\f\\r\\t\"]",
  "{\"sealed\":\"QUJDRA==\",\"status\":9223372036854775807,\"x\":123456789012345678901}",
]

private let pieces: [[UInt8]] =
  [
    "\\u", "\\ud800", "\\udfff", "\\", "\"", "{", "}", "[", "]", ":", ",", "e", "-", ".", "0", "9",
    "1e999", "\\u0000", "true", "\"key\":", "\u{FEFF}", "\u{10FFFF}", " ",
  ].map { Array($0.utf8) } + [[0], [0xFF], [0x80], [0xC3], [0xED, 0xA0], [0xF0, 0x9F]]

@Suite
struct MutationTests {
  /// 200,000 texts near JSON.
  ///
  /// Each is read or refused, and an accepted text is written and read back.
  @Test(arguments: 0..<8)
  func noInputIsASurprise(_ part: UInt64) throws {
    var generator = SeededGenerator(state: 0x7468_756D_6200 + part)
    var read = 0
    for _ in 0..<25_000 {
      let text = mutated(using: &generator)
      let value: JSONValue
      do {
        value = try JSONReader.read(text, secretMembers: ["key"])
      } catch {
        continue
      }
      read += 1
      let written = try JSONWriter.writeSecret(value)
      let again = try JSONReader.read(written, secretMembers: ["key"])
      #expect(again == value, "\(text)")
    }
    // Enough of them are still JSON for the test to mean something, and enough are not.
    #expect((500..<24_000).contains(read), "\(read)")
  }

  private func mutated(using generator: inout SeededGenerator) -> [UInt8] {
    var text = Array(seeds[Int.random(in: 0..<seeds.count, using: &generator)].utf8)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...text.count, using: &generator)
      let end = min(text.count, place + Int.random(in: 0...6, using: &generator))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where place < text.count:
        text[place] = UInt8.random(in: 0...255, using: &generator)
      case 1 where place < text.count:
        text[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: text.removeSubrange(place..<end)
      case 3: text.insert(contentsOf: text[place..<end], at: place)
      case 4: text.removeSubrange(place...)
      default:
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        text.insert(contentsOf: piece, at: place)
      }
    }
    return text
  }
}
