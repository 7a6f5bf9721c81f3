internal import System

/// The kind of a uid on this machine.
enum UserKind: Sendable, Equatable {
  /// A person of this machine, who has their own share of the server.
  case person
  /// Not known yet: the name is being looked up.
  case pending
  /// Not a person of this machine, for this reason.
  ///
  /// All such uids share one share.
  case stranger(String)
}

/// The known kinds of the uids that connect.
///
/// It serves the one thread that accepts connections, which must not wait for a user database.
struct UserKinds {
  /// How long the result "person" is valid, in seconds.
  ///
  /// It decides only limits. Before a vault is opened, the machine is asked again.
  private static let personSeconds: Int64 = 60
  /// How long the result "no name" is valid, in seconds.
  ///
  /// That bounds how often it is looked up.
  private static let strangerSeconds: Int64 = 5
  /// How long the file of subordinate uids is not read again, in seconds.
  private static let fileSeconds: Int64 = 1
  /// The most uids that are remembered.
  private static let most = 4096
  /// The most uids that are looked up at once.
  ///
  /// Each lookup has a thread.
  static let mostLooks = 32

  private var found: [UInt32: (kind: UserKind, until: BootInstant)] = [:]
  private var pending: Set<UInt32> = []
  private(set) var ranges = SubordinateRanges()
  private var stamp: FileStamp?
  private var lookedAt: BootInstant?

  /// How many uids are remembered.
  var count: Int { found.count }

  func isLookedUp(_ user: UInt32) -> Bool { pending.contains(user) }

  /// The kind of a uid, as far as it is known at once.
  ///
  /// A uid is `pending` until `learn` is called, or while the limit of lookups is reached.
  ///
  /// - Parameters:
  ///   - user: the uid.
  ///   - isKnown: whether it already works here as a person's uid.
  ///   - now: the time.
  ///   - seesAllUsers: whether the caller is in no container.
  /// - Returns: the kind; `nil` if the caller must look the name up now, and then call `learn`.
  mutating func kind(
    of user: UInt32,
    isKnown: Bool,
    at now: BootInstant,
    seesAllUsers: () -> Bool
  ) -> UserKind? {
    refresh(at: now)
    if let objection = UserDirectories.objection(to: user) {
      return .stranger("\(objection): the service keeps no vault for it")
    }
    if ranges.isSubordinate(user), !ranges.mayBeOwn(user) { return Self.subordinate(user) }
    let known = isKnown ? .person : known(user, at: now)
    if let known, known != .person { return known }
    // Container uids may also belong to people, by a directory service. In these ranges, a person
    // is a caller that sees all uids. Nothing is looked up for another one.
    if ranges.isForContainers(user), !seesAllUsers() { return Self.contained(user) }
    guard known == nil else { return .person }
    guard pending.count < Self.mostLooks else { return .pending }
    pending.insert(user)
    return nil
  }

  private func known(_ user: UInt32, at now: BootInstant) -> UserKind? {
    if pending.contains(user) { return .pending }
    guard let entry = found[user], now < entry.until else { return nil }
    return entry.kind
  }

  /// Stores the result of a lookup for the name of a uid: `nil` if it has none.
  ///
  /// - Returns: the kind of the uid.
  mutating func learn(
    _ name: Result<String?, SystemError>,
    of user: UInt32,
    at now: BootInstant
  ) -> UserKind {
    pending.remove(user)
    let kind: UserKind
    switch name {
    // A failed lookup says nothing about the user. The next connection causes another lookup.
    case .failure(let error): return .stranger("user \(user) cannot be looked up: \(error)")
    case .success(nil): kind = Self.nameless(user)
    case .success(let name?):
      kind = ranges.isSubordinate(user, named: name) ? Self.subordinate(user) : .person
    }
    if found.count >= Self.most { found = found.filter { now < $0.value.until } }
    if found.count >= Self.most { found = [:] }
    let seconds = kind == .person ? Self.personSeconds : Self.strangerSeconds
    found[user] = (kind, now.advanced(bySeconds: seconds))
    return kind
  }

  private mutating func refresh(at now: BootInstant) {
    if let lookedAt, now < lookedAt.advanced(bySeconds: Self.fileSeconds) { return }
    lookedAt = now
    let current = try? Directory(path: "/etc").stamp("subuid")
    guard current != stamp else { return }
    stamp = current
    ranges = .read()
    found = [:]
  }

  static func subordinate(_ user: UInt32) -> UserKind {
    .stranger("user \(user) is a subordinate one (/etc/subuid), which another user can act under")
  }

  static func nameless(_ user: UInt32) -> UserKind {
    .stranger("user \(user) has no name on this machine")
  }

  static func contained(_ user: UInt32) -> UserKind {
    .stranger("user \(user) belongs to a container")
  }
}
