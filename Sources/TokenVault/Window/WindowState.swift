/// The ends of unlock windows from outside, and the windows that are about to be opened.
struct WindowState {
  /// How often all windows were ended from outside.
  private(set) var ends: UInt64 = 0
  private var beginnings = 0

  /// Whether a window may be opened in a moment.
  var isBeginning: Bool { beginnings > 0 }

  mutating func noteEnd() { ends += 1 }

  mutating func begin() { beginnings += 1 }

  mutating func endBeginning() { beginnings -= 1 }
}
