/// What users wait for, one thing of each in turn: nobody waits for all that another one wants.
struct FairQueue<Element> {
  private var waiting: [UInt32: [Element]] = [:]
  /// In the order of their turns.
  private var users: [UInt32] = []

  /// All that waits, in no order.
  var all: [Element] { waiting.values.flatMap { $0 } }

  /// How much of one user waits.
  func count(of user: UInt32) -> Int { waiting[user]?.count ?? 0 }

  mutating func add(_ element: Element, of user: UInt32) {
    if waiting[user] == nil { users.append(user) }
    waiting[user, default: []].append(element)
  }

  /// Takes what is next of all that is still wanted; the rest that is come upon is forgotten.
  mutating func next(_ isWanted: (Element) -> Bool) -> Element? {
    while !users.isEmpty {
      let user = users.removeFirst()
      var own = (waiting.removeValue(forKey: user) ?? []).filter(isWanted)
      guard !own.isEmpty else { continue }
      let element = own.removeFirst()
      if !own.isEmpty {
        waiting[user] = own
        users.append(user)
      }
      return element
    }
    return nil
  }
}
