internal import PresenceTerms
internal import Storage

// The reader that was used last: `status` shows it, and prompts say how to touch it. Opening the
// reader itself would disturb it.
extension Vault {
  private static let lastReaderKey = "last-reader"
  private static let longestName = 200

  /// The reader that was used last; `nil` if none was.
  func lastReader() -> SeenReader? {
    guard let bytes = try? store.meta(Self.lastReaderKey) else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard parts.count == 3, let scan = ScanType(rawValue: String(parts[0])) else { return nil }
    return SeenReader(
      name: parts[2].isEmpty ? nil : String(parts[2]),
      driver: String(parts[1]),
      scan: scan
    )
  }

  /// Stores the reader that is in use.
  ///
  /// A failure is not an error: it only makes the next prompt less exact.
  func remember(_ reader: SeenReader) {
    let driver = Self.plain(reader.driver)
    let seen = SeenReader(name: reader.name.map(Self.plain), driver: driver, scan: reader.scan)
    guard seen != lastReader() else { return }
    let text = "\(seen.scan.rawValue)\n\(driver)\n\(seen.name ?? "")"
    try? store.setMeta(Self.lastReaderKey, to: Array(text.utf8))
  }

  /// The known facts about the reader.
  package func reader() async -> ReaderFacts {
    var facts = await check.reader()
    guard let last = lastReader() else { return facts }
    if facts.available, facts.name == nil, facts.driver == last.driver { facts.name = last.name }
    if !facts.available, facts.knowledge == .notLooked {
      facts.available = true
      facts.name = last.name
      facts.driver = last.driver
      facts.reason = nil
      facts.knowledge = .lastUsed
    }
    return facts
  }

  /// A device's own name as one line of printable ASCII, because its maker chose the name.
  private static func plain(_ name: String) -> String {
    let bytes = name.utf8.prefix(longestName).map { (0x20..<0x7f).contains($0) ? $0 : 0x3f }
    return String(decoding: bytes, as: UTF8.self)
  }
}
