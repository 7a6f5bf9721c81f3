internal import Configuration
internal import PresenceTerms
internal import Synchronization
internal import System
internal import TokenVault
internal import Varlink
internal import VaultInterface

/// The known state of the rules for a connection.
enum CallerRuleStatus: Sendable {
  /// The rules were not looked up yet.
  case unknown
  /// No rule holds.
  case free
  case ruled(CallerRule)
  /// The connection was lent to programs behind a restricted socket.
  case restricted(CallerRule)
}

extension CallerMarks {
  /// The marks of a process; `nil` if proc(5) does not show it.
  init?(process: Int32, _ wanted: OfProcess = .all) {
    self.init()
    guard !wanted.isEmpty else { return }
    guard let directory = try? Directory(path: "/proc/\(process)") else { return nil }
    if wanted.contains(.sandbox) {
      guard let status = try? directory.openForReading("status").readAll(limit: 64 * 1024) else {
        return nil
      }
      let lines = Set(String(decoding: status, as: UTF8.self).split(separator: "\n"))
      isSandboxed =
        lines.contains("NoNewPrivs:\t1") && lines.contains("Seccomp:\t2")
        || !ProcessFacts.seesAllUsers(process)
    }
    guard wanted.contains(.unit) else { return }
    guard let groups = try? directory.openForReading("cgroup").readAll(limit: 64 * 1024) else {
      return nil
    }
    let text = String(decoding: groups, as: UTF8.self)
    // The process is outside this control group namespace: its unit is not known.
    guard !text.contains("/..") else { return nil }
    let group = ControlGroup.parse(text)
    let name = group.flatMap { $0.unit.split(separator: "/").last.map(String.init) }
    if group?.manager == nil { unit = name } else { userUnit = name }
    isInUserSlice = group?.isInUserSlice == true
  }
}

// The rules for callers: which one holds for a connection is looked up once.
extension Vaults {
  /// Whether a connection to a vault needs no look at the rules.
  func isFree(_ recognition: Recognition, in vault: Vault) -> Bool {
    guard form == .private || vault.callerRulesOfUser.isEmpty else { return false }
    if recognition.isFree { return true }
    guard case .unknown = recognition.known else { return false }
    guard !mayHaveRules else { return false }
    recognition.learn(nil)
    return true
  }

  /// Whether the machine has rules that depend on the process of a caller, or they cannot be read.
  private var mayHaveRules: Bool { (try? recentRules().marksOfProcess.isEmpty) != true }

  /// The machine's rules, as they were at most 100 ms ago.
  private func recentRules() throws(VaultFailure) -> [NamedRule] {
    try cachedRules.withLock { cached in
      cached.result(at: .now) { () throws(VaultFailure) in try callerRules() }
    }.get()
  }

  /// A caller with the rule that holds for it.
  ///
  /// - Throws: `misconfigured` if the rules cannot be read, `refused` if the caller cannot be
  ///   looked at.
  func underRule(_ caller: Caller, _ recognition: Recognition) throws(VaultFailure) -> Caller {
    switch recognition.known {
    case .free: return caller
    case .ruled(let rule): return caller.ruled(by: rule)
    case .restricted(let rule): return caller.restricted(by: rule)
    case .unknown: break
    }
    let rule = try Self.rule(for: caller.peer, recognition, of: try callerRules())
    recognition.learn(rule)
    return rule.map { caller.ruled(by: $0) } ?? caller
  }

  private static func rule(
    for peer: Peer?,
    _ recognition: Recognition,
    of rules: [NamedRule]
  ) throws(VaultFailure) -> CallerRule? {
    rules.rule(for: try marks(of: peer, recognition, rules.marksOfProcess))
  }

  /// Whether this is the connection's first look at the rules, and no rule holds.
  ///
  /// The server's own thread must not look. A change of a control group delays each reader of
  /// `/proc/PID/cgroup`, and any user can make such changes.
  ///
  /// - Throws: `misconfigured` if the rules cannot be read, `refused` if the caller cannot be
  ///   looked at.
  func isFreeAtFirstLook(
    _ peer: Peer,
    _ recognition: Recognition
  ) throws(VaultFailure) -> Bool {
    guard case .unknown = recognition.known,
      try Self.rule(for: peer, recognition, of: try recentRules()) == nil
    else { return false }
    recognition.learn(nil)
    return true
  }

  /// The reply to a token call that is the first of its connection on a machine with rules, if no
  /// rule holds and the vault has the token in its cache.
  ///
  /// Returns the refusal if the rules or the process cannot be read, because a second look would
  /// wait again. The names of the program and its ancestors are not read.
  func replyAtHand(
    to usual: UsualTokenCall,
    from peer: Peer,
    _ recognition: Recognition
  ) -> Outbox.Part? {
    guard let vault = vaultAtHand(of: peer.credentials.user, by: recognition) else { return nil }
    do throws(VaultFailure) {
      guard try isFreeAtFirstLook(peer, recognition) else { return nil }
    } catch {
      // The caller of an ended process gets no reply.
      return peer.isAlive ? Outbox.Part(Dispatcher.failure(error)) : nil
    }
    // The user may have added a rule during the look.
    guard form == .private || vault.callerRulesOfUser.isEmpty,
      let found = vault.cachedAccessToken(
        account: usual.account,
        minimumLifetime: usual.minimumLifetime.map(Int64.init),
        tool: usual.helper == true ? Tool(ofHelper: peer.identifier) : nil
      ),
      peer.isAlive
    else { return nil }
    return found.encoded.map(Outbox.Part.plain)
  }

  /// A caller of a vault with the rules of its user, too.
  ///
  /// A rule that its user adds holds for open connections too, so the rules are read for each call.
  ///
  /// - Throws: `refused` if the caller cannot be looked at, failures of the store.
  func underOwnRule(
    _ caller: Caller,
    _ recognition: Recognition,
    in vault: Vault
  ) async throws(VaultFailure) -> Caller {
    // They were looked up for a restricted socket when it was made.
    guard form == .service, !caller.isRestricted, !vault.callerRulesOfUser.isEmpty else {
      return caller
    }
    let rules = try await vault.ownCallerRules()
    guard !rules.isEmpty,
      let own = rules.rule(
        for: try Self.marks(of: caller.peer, recognition, rules.marksOfProcess)
      )
    else { return caller }
    return caller.ruled(by: caller.rule?.tightened(by: own) ?? own)
  }

  /// The rule of the connections that an agent lends.
  ///
  /// - Throws: `invalidArgument`.
  func restriction(
    _ call: RestrictCall,
    _ agent: Caller,
    own: [NamedRule]
  ) throws(VaultFailure) -> CallerRule {
    var base: CallerRule
    do throws(ConfigurationError) {
      base = try CallerRule(socket: call.name, accounts: call.accounts, scope: call.scope)
    } catch {
      throw .invalidArgument("\(error)")
    }
    let machine = try callerRules()
    let rules = machine + own
    if let name = call.rule {
      guard rules.contains(where: { $0.name == name }) else {
        throw .invalidArgument("there is no rule of that name: thumblatch rule list")
      }
      // The administrator may say when a token needs a check. A rule of the user's own only
      // tightens.
      if machine.contains(where: { $0.name == name && $0.settings["presence"] != nil }) {
        base.needsOwnCheck = false
      }
    }
    guard !rules.isEmpty else { return base }
    var marks = try Self.marks(of: agent.peer, rules.marksOfProcess)
    marks.socket = call.name
    marks.rule = call.rule
    return rules.rule(for: marks).map { base.tightened(by: $0) } ?? base
  }

  /// The rules for callers of the machine.
  func callerRules() throws(VaultFailure) -> [NamedRule] { try policy().callers }

  /// The policy of the machine.
  func policy() throws(VaultFailure) -> Policy {
    do throws(ConfigurationError) {
      return try rules.policy()
    } catch {
      throw .misconfigured(
        "\(error); until an administrator has corrected that, no token is handed out"
      )
    }
  }

  /// The marks that a test of the rules is about, and the user whose own rules hold.
  ///
  /// - Throws: `invalidArgument`, `refused` for a process of another user, unless root asks.
  func marks(
    of call: TestRuleCall,
    for caller: Caller
  ) throws(VaultFailure) -> (CallerMarks, user: UInt32) {
    switch (call.process, call.unit) {
    case (let process?, nil):
      guard let number = Int32(exactly: process), let facts = ProcessFacts(process: number) else {
        throw .invalidArgument("there is no process \(process)")
      }
      guard facts.user == caller.user || caller.user == 0 else {
        throw .refused("process \(process) is another user's")
      }
      guard let marks = CallerMarks(process: number) else {
        throw .invalidArgument("/proc does not show process \(process)")
      }
      return (marks, facts.user)
    case (nil, let unit?):
      // It may be one of the system's manager or of the user's.
      var marks = CallerMarks()
      (marks.unit, marks.userUnit) = (unit, unit)
      marks.isInUserSlice = Self.isInUserSlice(unit)
      return (marks, caller.user)
    default: throw .invalidArgument("either a process or a unit is needed")
    }
  }

  /// Whether a unit is `user.slice`, or has a name that systemd gives below it.
  ///
  /// systemd.special(7) and user@.service(5) name the slices and the manager of a user, and
  /// systemd-logind(8) the scopes of sessions.
  private static func isInUserSlice(_ unit: String) -> Bool {
    let names = [("session-", ".scope"), ("user-", ".slice"), ("user@", ".service")]
    return unit == "user.slice"
      || names.contains { unit.hasPrefix($0.0) && unit.hasSuffix($0.1) }
  }

  /// The marks of the process that connected, each of which is looked at once for its connection.
  static func marks(
    of peer: Peer?,
    _ recognition: Recognition,
    _ wanted: CallerMarks.OfProcess
  ) throws(VaultFailure) -> CallerMarks {
    try recognition.marks.withLock { known throws(VaultFailure) in
      let missing = wanted.subtracting(known.looked)
      guard !missing.isEmpty else { return known.marks }
      known.add(try marks(of: peer, missing), missing)
      return known.marks
    }
  }

  private static func marks(
    of peer: Peer?,
    _ wanted: CallerMarks.OfProcess
  ) throws(VaultFailure) -> CallerMarks {
    guard !wanted.isEmpty else { return CallerMarks() }
    // The process still runs afterwards, so its number belonged to it during the look.
    guard let peer, let marks = CallerMarks(process: peer.identifier, wanted), peer.isAlive
    else {
      throw .refused("the rules for callers cannot be applied: /proc does not show the caller")
    }
    return marks
  }
}

/// The marks of the process that connected, as far as they were looked at.
struct KnownMarks {
  private(set) var looked: CallerMarks.OfProcess = []
  private(set) var marks = CallerMarks()

  mutating func add(_ seen: CallerMarks, _ wanted: CallerMarks.OfProcess) {
    looked.formUnion(wanted)
    if wanted.contains(.sandbox) { marks.isSandboxed = seen.isSandboxed }
    guard wanted.contains(.unit) else { return }
    (marks.unit, marks.userUnit) = (seen.unit, seen.userUnit)
    marks.isInUserSlice = seen.isInUserSlice
  }
}
