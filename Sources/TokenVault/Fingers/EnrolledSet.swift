internal import Storage

/// The prints that can pass a fingerprint check: those enrolled here, and the desktop's.
struct EnrolledSet: Equatable {
  /// One print.
  struct Member: Hashable {
    /// The keeper of the print.
    enum Home: String {
      case own
      case desktop
    }

    let home: Home
    let finger: String
    /// `nil` if only the finger's name can be seen.
    let digest: [UInt8]?

    init(home: Home, finger: String, digest: [UInt8]?) {
      self.home = home
      self.finger = finger
      // Half of a SHA-256: a second print for it cannot be found, and the list has room for 64
      // prints.
      self.digest = digest.map { Array($0.prefix(16)) }
    }

    /// A line of the canonical list.
    var line: String {
      "\(home.rawValue) \(finger) \(digest.map(Hexadecimal.text) ?? "-")"
    }

    /// The finger's name, as shown to a person.
    fileprivate var shown: String { home == .own ? finger : "\(finger) (desktop)" }
  }

  /// The limit for a list in the store, in characters.
  static let mostText = 4096

  /// How the desktop's fingers can be seen: `prints`, `names`, or `none` if there are none.
  private(set) var source: String
  /// In the order of their lines, each once.
  private(set) var members: [Member]

  /// An empty set.
  init() {
    source = "none"
    members = []
  }

  /// The prints that are enrolled here, and on the desktop.
  init(own: [Member], desktop: DesktopFingers?) {
    source = desktop?.source.rawValue ?? "none"
    let others = (desktop?.fingers ?? []).map { finger in
      Member(home: .desktop, finger: Self.checked(finger.name), digest: finger.digest)
    }
    members = Self.ordered(own + others)
  }

  /// Reads the output of `text`; `nil` for anything else.
  init?(source: String, text: String) {
    self.source = source
    members = []
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 3, !parts[2].isEmpty, let home = Member.Home(rawValue: String(parts[0]))
      else { return nil }
      let digest = parts[2] == "-" ? nil : Hexadecimal.bytes(String(parts[2]))
      members.append(Member(home: home, finger: String(parts[1]), digest: digest))
    }
    guard self.text == text, members == Self.ordered(members) else { return nil }
  }

  /// The canonical list, one print a line.
  var text: String { members.map(\.line).joined(separator: "\n") }

  var isEmpty: Bool { members.isEmpty }

  /// Adds one of this vault's own prints; it replaces one of the same finger.
  mutating func insert(_ member: Member) {
    remove(own: member.finger)
    members = Self.ordered(members + [member])
  }

  /// Removes one of this vault's own prints.
  mutating func remove(own finger: String) {
    members.removeAll { $0.home == .own && $0.finger == finger }
  }

  /// The desktop's fingers among them; `nil` if there are none.
  var desktop: DesktopFingers? {
    let fingers = members.filter { $0.home == .desktop }
    guard let source = DesktopFingers.Source(rawValue: source), !fingers.isEmpty else { return nil }
    return DesktopFingers(
      source: source,
      fingers: fingers.map { DesktopFinger(name: $0.finger, digest: $0.digest) }
    )
  }

  /// The fingers' names, as shown to a person.
  var shown: String { Self.list(members.map(\.shown)) }

  /// The prints that were added, removed or replaced since `old`, as text; `nil` if none were.
  func changes(since old: EnrolledSet) -> String? {
    guard self != old else { return nil }
    let before = old.byFinger
    let now = byFinger
    // Names cannot distinguish prints, so only the change of visibility is reported.
    let isSeenAlike = source == old.source
    func differs(_ name: String) -> Bool {
      guard let earlier = before[name], let later = now[name] else { return false }
      return earlier != later && (isSeenAlike || earlier.allSatisfy { $0.home == .own })
    }
    var parts = [
      ("added", now.keys.filter { before[$0] == nil }),
      ("removed", before.keys.filter { now[$0] == nil }),
      ("replaced", now.keys.filter(differs)),
    ].filter { !$0.1.isEmpty }.map { "\($0.0) \(Self.list($0.1))" }
    if !isSeenAlike && source != "none" && old.source != "none" {
      parts.append("the desktop's fingers are seen by their \(source) now")
    }
    return parts.joined(separator: "; ")
  }

  private var byFinger: [String: Set<Member>] {
    Dictionary(grouping: members, by: \.shown).mapValues { Set($0) }
  }

  private static func list(_ names: [String]) -> String {
    Set(names).sorted().joined(separator: ", ")
  }

  private static func ordered(_ members: [Member]) -> [Member] {
    Set(members).sorted { $0.line < $1.line }
  }

  /// A name that cannot look like another line, or like two lines.
  ///
  /// Other programs can choose any names.
  private static func checked(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d }
    return isPlain && (1...32).contains(name.utf8.count) ? name : "unknown-finger"
  }
}
