internal import HelperInterface
package import MachineKey
package import SecretMemory
internal import System
internal import Varlink

/// Asks a security key through `thumblatch-secret`, one process for each call.
package struct KeySecretHelper: SecurityKeySealing {
  /// How long an examination of the key may take, in seconds.
  private static let lookLimit: Int64 = 10
  /// How long a touch may take, in seconds: a key stops waiting after about 30.
  private static let touchLimit: Int64 = 70
  /// How many touches a new credential with its secret needs, and the secret of a slot.
  ///
  /// The helper reports each touch.
  private static let (touchesToMake, touchesToOpen) = (2, 1)
  /// How long the helper may run after its reply, in milliseconds.
  ///
  /// It may have to cancel a wait for a touch.
  private static let courtesy: Int32 = 2000

  private let route: HelperRoute

  /// Makes an object that asks keys by this route.
  package init(by route: HelperRoute) {
    self.route = route
  }

  /// Examines the key; see `SecurityKeySealing`.
  package func look() throws(SecurityKeyFailure) -> SecurityKeyFacts {
    let reply: KeyFactsReply = try ask(
      GetKeyCall(),
      events: 0,
      within: Self.lookLimit,
      SecurityKeyWait(),
      isEvent: { _ in false },
      noteEvent: {}
    )
    switch reply {
    case .done(let needsPIN, let retries):
      return SecurityKeyFacts(needsPIN: needsPIN, retries: retries)
    case .failed(let reason, let detail): throw SecurityKeyFailure(reason, nil, detail)
    }
  }

  /// Makes a credential and its secret; see `SecurityKeySealing`.
  package func make(
    excluding credentials: [[UInt8]],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> SecurityKeySecret {
    let call = MakeKeySecretCall(keyCredentials: credentials, keyPin: pin)
    let limit = 2 * Self.touchLimit
    let reply = try ask(
      call,
      events: Self.touchesToMake,
      within: limit,
      wait,
      isEvent: { if case .touch = $0 { true } else { false } },
      noteEvent: lit
    )
    switch reply {
    case .done(let bytes, let secret):
      guard let parameters = try? SecurityKeyParameters(parameters: bytes),
        secret.bytes.count == MachineKeySlot.secretCount
      else { throw SecurityKeyFailure(.malformed) }
      return SecurityKeySecret(parameters: parameters, secret: secret)
    case .failed(let reason, let retries, let detail):
      throw SecurityKeyFailure(reason, retries, detail)
    case .touch: throw SecurityKeyFailure(.malformed)
    }
  }

  /// Makes the secret of a slot again; see `SecurityKeySealing`.
  package func open(
    _ slots: [SecurityKeyParameters],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> (index: Int, secret: SharedSecret) {
    let bytes: [[UInt8]]
    do throws(MachineKeyError) {
      bytes = try slots.map { slot throws(MachineKeyError) in try slot.parameters }
    } catch {
      throw .unexpected("\(error)")
    }
    let call = OpenKeySecretCall(slots: bytes, keyPin: pin)
    let limit = Self.touchLimit
    let reply = try ask(
      call,
      events: Self.touchesToOpen,
      within: limit,
      wait,
      isEvent: { if case .touch = $0 { true } else { false } },
      noteEvent: lit
    )
    switch reply {
    case .done(let place, let secret):
      guard slots.indices.contains(place), secret.bytes.count == MachineKeySlot.secretCount
      else { throw SecurityKeyFailure(.malformed) }
      return (place, secret)
    case .failed(let reason, let retries, let detail):
      throw SecurityKeyFailure(reason, retries, detail)
    case .touch: throw SecurityKeyFailure(.malformed)
    }
  }

  /// Asks a new process; returns the first reply that is no event.
  ///
  /// A helper that sends more than `events` events before that reply counts as failed. Without this
  /// limit, it could send the caller events without an end.
  private func ask<Method: VarlinkMethod>(
    _ call: Method,
    events: Int,
    within seconds: Int64,
    _ wait: SecurityKeyWait,
    isEvent: (Method.Reply) -> Bool,
    noteEvent: () -> Void
  ) throws(SecurityKeyFailure) -> Method.Reply {
    let helper: HelperLink
    do throws(HelperError) {
      helper = try HelperLink(.secret, by: route)
    } catch {
      throw SecurityKeyFailure(error)
    }
    defer { helper.finish(withinMilliseconds: Self.courtesy) }
    return try wait.during {
      () throws(SecurityKeyFailure) in
      do throws(HelperError) {
        try helper.send(call, more: events > 0)
        var buffer = MessageBuffer(.helper)
        let end = BootInstant.now.advanced(bySeconds: seconds)
        var left = events
        while true {
          let reply = try helper.receive(&buffer, to: Method.self, until: end).reply
          guard isEvent(reply) else { return reply }
          guard left > 0 else { throw HelperError.malformed }
          left -= 1
          noteEvent()
        }
      } catch {
        throw SecurityKeyFailure(error)
      }
    } endedBy: {
      helper.stop()
    }
  }
}

extension SecurityKeyFailure {
  /// The failure that the helper reports.
  fileprivate init(_ reason: KeySecretFailure, _ retries: Int?, _ detail: String?) {
    self =
      switch reason {
      case .noLibrary: .noLibrary
      case .noKey: .noKey
      case .anotherKey: .anotherKey
      case .severalKeys: .severalKeys
      case .alreadyAdded: .alreadyAdded
      case .noSecret: .noSecret
      case .pinNeeded: .pinNeeded(retries: retries)
      case .wrongPin: .wrongPIN(retries: retries)
      case .pinBlockedUntilReplugged: .pinBlockedUntilReplugged
      case .pinBlocked: .pinBlocked
      case .noPin: .noPIN
      case .alwaysVerifies: .alwaysVerifies
      case .notVerified: .notVerified
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      case .removed: .removed
      case .notPermitted: .notPermitted
      case .unexpected: .unexpected(detail ?? "no code")
      }
  }

  /// The failure of a helper that did not report.
  fileprivate init(_ error: HelperError) {
    self =
      switch error {
      case .notStarted(let why): .unreachable(why)
      case .ended, .unseen: .unreachable("the program for the key ended without an answer")
      case .silent: .unreachable("the security key did not answer in time")
      case .malformed: .unreachable("the program for the key gave an answer that makes no sense")
      }
  }
}
