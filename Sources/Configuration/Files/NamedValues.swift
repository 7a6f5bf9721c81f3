/// Values by their names, which are ASCII, in the order of the names' first use.
///
/// For the first `Dictionary` of a process, Swift searches the conformances of the program for that of the
/// key. A helper of a tool has no time for that, so only many names get a dictionary.
struct NamedValues<Value> {
  /// Up to this many names are compared one by one.
  private static var few: Int { 16 }

  private(set) var all: [(name: String, value: Value)] = []
  /// The position of each name; empty while there are few.
  private var positions: [String: Int] = [:]

  subscript(name: String) -> Value? { position(of: name).map { all[$0].value } }

  /// Adds a value; false if there is one of this name.
  mutating func add(_ value: Value, named name: String) -> Bool {
    guard position(of: name) == nil else { return false }
    all.append((name, value))
    if all.count == Self.few + 1 {
      for (position, known) in all.enumerated() { positions[known.name] = position }
    } else if all.count > Self.few {
      positions[name] = all.count - 1
    }
    return true
  }

  private func position(of name: String) -> Int? {
    all.count > Self.few ? positions[name] : all.firstIndex { $0.name == name }
  }
}

extension NamedValues: Sendable where Value: Sendable {}
