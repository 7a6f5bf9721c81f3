extension [UInt8] {
  /// The same bytes with a short part repeated, up to a random count, because short inputs rarely
  /// cost too much.
  ///
  /// In half of the cases the copies are numbered if the part has digits, because names have to
  /// differ.
  func swollen(to room: Int, _ dice: inout Dice) -> [UInt8] {
    guard !isEmpty else { return self }
    let part = part(&dice)
    let rest = self[part.endIndex...]
    let wanted = room >> Int.random(in: 0...4, using: &dice) - rest.count
    let isNumbered = Bool.random(using: &dice)
    var result = Array(self[..<part.startIndex])
    result.reserveCapacity(room)
    var number = 0
    while result.count + part.count + 20 <= wanted {
      for byte in part {
        if isNumbered, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
          result += String(number).utf8
        } else {
          result.append(byte)
        }
      }
      number += 1
    }
    return Array((result + part + rest).prefix(room))
  }

  /// A short part: an element with its end, or some bytes.
  private func part(_ dice: inout Dice) -> ArraySlice<UInt8> {
    switch Int.random(in: 0..<3, using: &dice) {
    case 0: return element(&dice) ?? characters(from: indices.randomElement(using: &dice), &dice)
    case 1: return characters(from: indices.randomElement(using: &dice), &dice)
    default:
      // Non-ASCII characters cost the most.
      let others = indices.filter { self[$0] >= 0xC0 }
      return characters(from: others.randomElement(using: &dice), &dice)
    }
  }

  /// The bytes between ends of elements, such as `"k0":0,` or `[s0]` and a line feed.
  private func element(_ dice: inout Dice) -> ArraySlice<UInt8>? {
    let ends = indices.filter { ",&;\n{[ ".utf8.contains(self[$0]) }
    let first = Int.random(in: -1...ends.count, using: &dice)
    let last = first + Int.random(in: 1...3, using: &dice)
    guard first < ends.count, ends.indices.contains(last) else { return nil }
    return self[(first < 0 ? 0 : ends[first] + 1)...ends[last]]
  }

  /// Whole characters, because half a character makes most texts invalid.
  private func characters(from place: Int?, _ dice: inout Dice) -> ArraySlice<UInt8> {
    var start = place ?? 0
    let most = 1 << Int.random(in: 1...5, using: &dice)
    var end = Swift.min(count, start + Int.random(in: 1...most, using: &dice))
    while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
    while end < count, self[end] & 0xC0 == 0x80 { end += 1 }
    return self[start..<end]
  }
}
