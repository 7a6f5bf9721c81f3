internal import System

/// What a uid is here.
enum Standing: Sendable, Equatable {
  /// A person of this machine, with a share of the server of their own.
  case person
  /// Not known yet: it is being looked up.
  case pending
  /// No person of this machine, for this reason: all of them have one share together.
  case stranger(String)
}

/// What is known of the uids that connect, for the one thread that accepts them: it waits for no
/// database of users.
struct Standings {
  /// How long it holds that a uid is a person's, in seconds.
  ///
  /// It decides about limits only. Whose vault is opened is asked of the machine again.
  private static let personSeconds: Int64 = 60
  /// How long it holds that a uid has no name, in seconds: so often is it looked up.
  private static let strangerSeconds: Int64 = 5
  /// How long the file of subordinate uids is not looked at again, in seconds.
  private static let fileSeconds: Int64 = 1
  /// The most uids of which something is kept.
  private static let most = 4096
  /// The most uids that are looked up at once: each look has a thread.
  static let mostLooks = 32

  private var found: [UInt32: (standing: Standing, until: BootInstant)] = [:]
  private var pending: Set<UInt32> = []
  private(set) var ranges = SubordinateRanges()
  private var stamp: FileStamp?
  private var lookedAt: BootInstant?

  /// Of how many uids something is kept.
  var count: Int { found.count }

  /// Whether the name of a uid is being looked up.
  func isLookedUp(_ user: UInt32) -> Bool { pending.contains(user) }

  /// What a uid is, as far as it is known at once.
  ///
  /// A uid is `pending` until `learn` is called, and while there are as many looks as there may be.
  ///
  /// - Parameters:
  ///   - user: the uid.
  ///   - isKnown: whether it is at work here as a person's already.
  ///   - now: the time.
  /// - Returns: what it is; `nil` if the caller has to look its name up now, and then calls `learn`.
  mutating func standing(of user: UInt32, isKnown: Bool, at now: BootInstant) -> Standing? {
    refresh(at: now)
    if let objection = UserDirectories.objection(to: user) {
      return .stranger("\(objection): the service keeps no vault for it")
    }
    if ranges.isSubordinate(user), !ranges.mayBeOwn(user) { return Self.subordinate(user) }
    if isKnown { return .person }
    if pending.contains(user) { return .pending }
    if let entry = found[user], now < entry.until { return entry.standing }
    guard pending.count < Self.mostLooks else { return .pending }
    pending.insert(user)
    return nil
  }

  /// Takes what a look for the name of a uid has brought: `nil` if it has none.
  ///
  /// - Returns: what the uid is.
  mutating func learn(
    _ name: Result<String?, SystemError>,
    of user: UInt32,
    at now: BootInstant
  ) -> Standing {
    pending.remove(user)
    let standing: Standing
    switch name {
    // That says nothing of the user: the next connection has it looked up again.
    case .failure(let error): return .stranger("user \(user) cannot be looked up: \(error)")
    case .success(nil): standing = Self.nameless(user)
    case .success(let name?):
      standing = ranges.isSubordinate(user, named: name) ? Self.subordinate(user) : .person
    }
    if found.count >= Self.most { found = found.filter { now < $0.value.until } }
    if found.count >= Self.most { found = [:] }
    let seconds = standing == .person ? Self.personSeconds : Self.strangerSeconds
    found[user] = (standing, now.advanced(bySeconds: seconds))
    return standing
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

  static func subordinate(_ user: UInt32) -> Standing {
    .stranger("user \(user) is a subordinate one (/etc/subuid), which another user can act under")
  }

  static func nameless(_ user: UInt32) -> Standing {
    .stranger("user \(user) has no name on this machine")
  }

  static func contained(_ user: UInt32) -> Standing {
    .stranger("user \(user) is one of a container")
  }
}
