/// A round-robin queue: one element of each user in turn, so that no user waits for all elements of
/// another.
struct FairQueue<Element> {
  private var waiting: [UInt32: [Element]] = [:]
  private var users: [UInt32] = []

  /// All waiting elements, in no order.
  var all: [Element] { waiting.values.flatMap { $0 } }

  /// How many elements of one user wait.
  func count(of user: UInt32) -> Int { waiting[user]?.count ?? 0 }

  mutating func add(_ element: Element, of user: UInt32) {
    if waiting[user] == nil { users.append(user) }
    waiting[user, default: []].append(element)
  }

  /// Takes the next element that is still wanted.
  ///
  /// Unwanted elements that it meets are dropped.
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
