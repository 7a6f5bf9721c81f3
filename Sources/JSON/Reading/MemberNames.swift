internal import PlainText

/// The names that an object has had while it is read, compared by their bytes.
///
/// Looking through all members for each new one would take a text of 64 KiB a second.
struct MemberNames {
  /// Up to so many members, looking through them takes less than a table.
  private static let few = 8

  /// The hash of each name, in the order of the members.
  private var hashes: [Int] = []
  /// By hash, in a size that is a power of two: the place of a member, from 1, or 0 for none.
  private var table: [UInt32] = []

  /// Takes the name of the next member.
  ///
  /// - Returns: the place of the member that has it already; `nil` if none has.
  mutating func insert(
    _ name: String,
    after members: [(name: String, value: JSONValue)]
  ) -> Int? {
    guard members.count >= Self.few else {
      return members.firstIndex { $0.name.isByteEqual(to: name) }
    }
    if hashes.isEmpty { hashes = members.map { Self.hash($0.name) } }
    if table.count < 2 * (hashes.count + 1) { grow() }
    // The seed is of this process (`Hasher`), so that no peer can choose names whose hashes collide.
    let hash = Self.hash(name)
    var slot = hash & (table.count - 1)
    while table[slot] > 0 {
      let place = Int(table[slot]) - 1
      if hashes[place] == hash, members[place].name.isByteEqual(to: name) { return place }
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
    for (place, hash) in hashes.enumerated() {
      var slot = hash & (size - 1)
      while table[slot] > 0 { slot = (slot + 1) & (size - 1) }
      table[slot] = UInt32(place + 1)
    }
  }

  private static func hash(_ name: String) -> Int { ByteText(name).hashValue }
}
