internal import AuditLog
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

/// The eligibility of the fingers at one moment: which can pass a check, and which are confirmed.
struct FingerEligibility {
  /// The vault's own prints, opened.
  let prints: [LoadedPrint]
  /// The desktop's fingers, as they were seen.
  let look: DesktopLook
  /// All fingers, the own ones and the desktop's.
  let set: EnrolledSet
  /// Why no finger counts, although some may be enrolled.
  ///
  /// A print does not open, there are too many, or the desktop's fingers cannot be seen.
  let damage: String?
  /// The difference from the set that the system password has confirmed; `nil` if there is none.
  let change: String?

  /// Why a finger cannot pass a check; `nil` if one can.
  func objection(_ lockout: FingerLockout) -> PresenceFailure? {
    if let damage { return .notAvailable(damage) }
    if let change { return .denied("\(change); \(Self.once)") }
    if set.isEmpty { return .notEnrolled }
    return lockout.isPasswordOnly ? .lockedOut : nil
  }

  /// The text shown before the password is asked for; `nil` if there is nothing to explain.
  func reason(for purpose: PresencePurpose, _ lockout: FingerLockout) -> String? {
    let needsPassword = !purpose.allowsDevices
    guard let objection = objection(lockout) else { return nil }
    switch objection.outcome {
    case .denied: return objection.detail
    case .notAvailable where !needsPassword: return objection.detail
    case .lockedOut where !needsPassword: return "too many fingers failed; \(Self.once)"
    default: return nil
    }
  }

  /// The desktop's fingers.
  var desktop: DesktopFingers? { look.desktop }

  /// The names of all fingers, each once: the own ones first.
  var fingers: [String] {
    var names: [String] = []
    for name in prints.map(\.finger) + (desktop?.fingers ?? []).map(\.name)
    where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  private static let once = "the system password is needed once"
}

/// The desktop's fingers, as they were seen at one moment.
struct DesktopLook {
  var desktop: DesktopFingers?
  /// Why nothing could be seen.
  var damage: String?
}

// The set of enrolled fingers is authenticated. If it has changed since the system password was
// given, fingers pass no check until the password is given again (promise 6; Apple's
// biometryCurrentSet).
extension Vault {
  /// Looks at the desktop's fingers, with a prepared helper or a new one, and at the own prints.
  func fingerEligibility(
    for caller: Caller,
    by program: (any PreparedCheck)? = nil
  ) async throws(VaultFailure) -> FingerEligibility {
    var look = DesktopLook()
    do throws(PresenceFailure) {
      look.desktop =
        if let program {
          try await program.desktopFingers(of: caller)
        } else {
          try await check.desktopFingers(of: caller)
        }
    } catch {
      look.damage = Self.damage(error)
    }
    return try fingerEligibility(look)
  }

  /// The same without starting the desktop's program.
  ///
  /// If that program does not run, its fingers are assumed to be those that the password has
  /// confirmed.
  func fingerEligibilityAtRest(for caller: Caller) async throws(VaultFailure) -> FingerEligibility {
    var look = DesktopLook()
    do throws(PresenceFailure) {
      look.desktop = try await desktopAtRest(of: caller)
    } catch {
      look.damage = Self.damage(error)
    }
    return try fingerEligibility(look)
  }

  /// The desktop's fingers without a start of the desktop's program; see `fingerEligibilityAtRest`.
  func desktopAtRest(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    switch try await check.desktopView(of: caller) {
    case .seen(let desktop): return desktop
    case .asleep:
      if case .some(let set)? = try? confirmedSet() { return set.desktop }
      return nil
    }
  }

  private static func damage(_ failure: PresenceFailure) -> String {
    // "Not seen" is not "none": otherwise the password would confirm fingers that were never seen.
    let text = "the desktop's fingers cannot be seen now"
    return failure.outcome == .notAvailable ? "\(text): \(failure.detail)" : text
  }

  /// The eligibility of the fingers, from the desktop's as they were seen and the present own
  /// prints.
  func fingerEligibility(_ look: DesktopLook) throws(VaultFailure) -> FingerEligibility {
    let desktop = look.desktop
    var damage = look.damage
    let (prints, own, broken) = try openedPrints()
    let set = EnrolledSet(own: own, desktop: desktop)
    if damage != nil {
      // No more is known.
    } else if !broken.isEmpty {
      damage = "the enrolled print of \(broken.joined(separator: ", ")) does not open"
    } else if set.text.utf8.count > EnrolledSet.mostText {
      damage = "more fingers are enrolled than can be confirmed"
    }
    return FingerEligibility(
      prints: prints,
      look: look,
      set: set,
      damage: damage,
      change: try change(to: set)
    )
  }

  /// The difference from the set that the system password has confirmed, as text for a person.
  private func change(to set: EnrolledSet) throws(VaultFailure) -> String? {
    switch try confirmedSet() {
    case .none: set.isEmpty ? nil : "enrolled fingers not confirmed yet: \(set.shown)"
    case .altered: "the record of the confirmed fingers was altered; enrolled: \(set.shown)"
    case .some(let old): set.changes(since: old).map { "enrolled fingers changed: \($0)" }
    }
  }

  /// The set that the system password has confirmed.
  enum ConfirmedSet {
    case none
    /// The record does not have this vault's code.
    case altered
    case some(EnrolledSet)
  }

  func confirmedSet() throws(VaultFailure) -> ConfirmedSet {
    let found = try stored(try store.enrolledSet(owner: owner))
    guard let row = found else { return .none }
    guard try code(source: row.source, text: row.fingers) == row.code,
      let set = EnrolledSet(source: row.source, text: row.fingers)
    else { return .altered }
    return .some(set)
  }

  /// Stores a set as confirmed, in the transaction of the check that has confirmed it.
  func confirm(_ set: EnrolledSet, _ caller: Caller) throws(VaultFailure) {
    guard let what = try change(to: set) else { return }
    try bind(set)
    try recordByPassword(.fingersChanged, by: caller, detail: what)
  }

  /// Changes this vault's own part of the confirmed set.
  ///
  /// Any other change at the same moment, for example on the desktop, is not confirmed by it.
  func rebind(_ edit: (inout EnrolledSet) -> Void) throws(VaultFailure) {
    var set = EnrolledSet()
    if case .some(let old) = try confirmedSet() { set = old }
    edit(&set)
    try bind(set)
  }

  /// One own print as a member of the set.
  ///
  /// Its random identifier goes into the digest, so that a known print cannot be looked up in the
  /// list.
  func member(
    _ row: PrintRow,
    _ print: borrowing SecretBytes
  ) throws(CryptographyError) -> EnrolledSet.Member {
    EnrolledSet.Member(home: .own, finger: row.finger, digest: try sha256(row.id + sha256(print)))
  }

  /// One own print, opened; `nil` if it does not open.
  func opened(_ row: PrintRow) -> LoadedPrint? {
    guard let print = try? openBox(row.sealed, try printContext(row)) else { return nil }
    return LoadedPrint(finger: row.finger, print: SharedSecret(print))
  }

  /// The own prints, opened for one check, and the fingers whose prints do not open.
  private func openedPrints() throws(VaultFailure) -> (
    prints: [LoadedPrint], members: [EnrolledSet.Member], broken: [String]
  ) {
    var prints: [LoadedPrint] = []
    var members: [EnrolledSet.Member] = []
    var broken: [String] = []
    for row in try printRows() {
      do throws(CryptographyError) {
        let print = try openBox(row.sealed, try printContext(row))
        members.append(try member(row, print))
        prints.append(LoadedPrint(finger: row.finger, print: SharedSecret(print)))
      } catch {
        broken.append(row.finger)
      }
    }
    return (prints, members, broken)
  }

  private func bind(_ set: EnrolledSet) throws(VaultFailure) {
    let row = EnrolledSetRow(
      owner: owner,
      code: try code(source: set.source, text: set.text),
      source: set.source,
      fingers: set.text,
      confirmedAt: clock.wall.seconds
    )
    try stored(try store.put(row))
  }

  private func code(source: String, text: String) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("the enrolled fingers cannot be authenticated")) {
      try Self.enrolledSetCode(
        vault: identifier,
        owner: owner,
        source: source,
        text: text,
        under: storeState.keys.secret
      )
    }
  }

  /// The code over a set: the store's only evidence that the set was confirmed here.
  static func enrolledSetCode(
    vault: [UInt8],
    owner: UInt32,
    source: String,
    text: String,
    under secret: borrowing SealingKey
  ) throws(CryptographyError) -> [UInt8] {
    let parts = [vault, Array("\(owner)".utf8), Array(source.utf8), Array(text.utf8)]
    return try authenticate(
      parts.flatMap(lengthPrefixed),
      using: try secret.derived(for: "enrolled fingers")
    )
  }
}
