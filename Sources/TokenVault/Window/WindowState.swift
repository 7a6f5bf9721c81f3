/// The ends of unlock windows from outside, and the windows that are about to be opened.
struct WindowState {
  /// How often all windows were ended from outside.
  private(set) var ends: UInt64 = 0
  private var beginnings = 0
  /// The locations at which windows were ended while one may be opened in a moment.
  private var endedLocations: Set<String> = []
  /// The prompts that the last end from outside has cancelled, at which a question may still be shown.
  private var cancelled: Set<String> = []

  /// Whether a window may be opened in a moment.
  var isBeginning: Bool { beginnings > 0 }

  mutating func noteEnd() { ends += 1 }

  mutating func noteEnd(at location: String) {
    if isBeginning { endedLocations.insert(location) }
  }

  /// Whether windows at a location were ended since the first of the present beginnings.
  func hasEnded(at location: String) -> Bool { endedLocations.contains(location) }

  /// Remembers the prompts that such an end cancels, so that their callers are told why.
  mutating func noteCancelled(_ prompts: [String]) {
    if !prompts.isEmpty { cancelled = Set(prompts) }
  }

  func hasCancelled(_ prompt: String) -> Bool { cancelled.contains(prompt) }

  mutating func begin() { beginnings += 1 }

  mutating func endBeginning() {
    beginnings -= 1
    if !isBeginning { endedLocations = [] }
  }
}
