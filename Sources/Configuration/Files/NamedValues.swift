/// Values by their names, which are ASCII, in the order of the names' first use.
///
/// For the first `Dictionary` of a process, Swift searches the conformances of the program for that
/// of the key. A helper of a tool has no time for that, so only many names get a dictionary.
struct NamedValues<Value> {
  /// Up to this many names are compared one by one.
  private static var few: Int { 16 }

  private(set) var all: [(name: String, value: Value)] = []
  /// `nil` while there are few names.
  private var positions: NamePositions?

  subscript(name: String) -> Value? { position(of: name).map { all[$0].value } }

  /// Adds a value; false if there is one of this name.
  mutating func add(_ value: Value, named name: String) -> Bool {
    guard position(of: name) == nil else { return false }
    all.append((name, value))
    guard all.count > Self.few else { return true }
    if positions == nil || !isKnownUniquelyReferenced(&positions) {
      let fresh = NamePositions()
      for (position, known) in all.enumerated() { fresh.byName[known.name] = position }
      positions = fresh
    } else {
      positions?.byName[name] = all.count - 1
    }
    return true
  }

  private func position(of name: String) -> Int? {
    guard let positions else { return all.firstIndex { $0.name == name } }
    return positions.byName[name]
  }
}

/// The positions of many names.
///
/// It is a class because Swift makes the type of a dictionary also to release an empty one.
private final class NamePositions {
  var byName: [String: Int] = [:]
}
