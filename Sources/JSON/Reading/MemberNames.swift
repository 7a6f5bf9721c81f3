internal import PlainText

/// The names of the object being read, compared by their bytes.
///
/// A linear search for each new name would take a second for a text of 64 KiB.
struct MemberNames {
  /// Up to this many members, a linear search is faster than a table.
  private static let few = 8

  /// The hash of each name, in the order of the members.
  private var hashes: [Int] = []
  /// A hash table whose size is a power of two: the index of a member plus 1, or 0 if empty.
  private var table: [UInt32] = []

  /// Adds the name of the next member.
  ///
  /// - Returns: the index of an earlier member with this name; `nil` if there is none.
  mutating func insert(_ name: String, after members: [(name: String, value: JSONValue)]) -> Int? {
    guard members.count >= Self.few else {
      return members.firstIndex { $0.name.isByteEqual(to: name) }
    }
    if hashes.isEmpty { hashes = members.map { Self.hash($0.name) } }
    if table.count < 2 * (hashes.count + 1) { grow() }
    // `Hasher` uses a seed of this process, so a peer cannot choose names with colliding hashes.
    let hash = Self.hash(name)
    var slot = hash & (table.count - 1)
    while table[slot] > 0 {
      let index = Int(table[slot]) - 1
      if hashes[index] == hash, members[index].name.isByteEqual(to: name) { return index }
      slot = (slot + 1) & (table.count - 1)
    }
    hashes.append(hash)
    table[slot] = UInt32(hashes.count)
    return nil
  }

  private mutating func grow() {
    var size = 64
    while size < 4 * (hashes.count + 1) { size *= 2 }
    table = [UInt32](repeating: 0, count: size)
    for (index, hash) in hashes.enumerated() {
      var slot = hash & (size - 1)
      while table[slot] > 0 { slot = (slot + 1) & (size - 1) }
      table[slot] = UInt32(index + 1)
    }
  }

  private static func hash(_ name: String) -> Int { ByteText(name).hashValue }
}
