internal import HelperInterface
package import MachineKey
package import SecretMemory
internal import Synchronization
internal import System
internal import Varlink

/// Asks the TPM through `thumblatch-secret`, one process for each call.
///
/// When a key is opened, the process that has opened a secret also reads the counter, because
/// starting a process takes the service manager longer than an answer takes the TPM.
package struct SecretHelper: TPMSealing {
  /// How long a call may take, in seconds: a chip is much slower than a program.
  ///
  /// The helper ends an increment earlier.
  private static let limit: Int64 = 10
  /// How long the helper may run after its reply, in milliseconds.
  fileprivate static let courtesy: Int32 = 500

  private let route: HelperRoute
  private let parentName: [UInt8]?
  /// The process that has opened a secret; `nil` outside the opening of a key.
  private let opener: Opener?

  /// Makes an object that asks the TPM by this route.
  ///
  /// With the name of a storage key, calls about counters fail with `anotherTPM` if the TPM has
  /// another key. A sealed secret itself names its storage key.
  package init(by route: HelperRoute, parentName: [UInt8]? = nil) {
    self.init(route, parentName, nil)
  }

  private init(_ route: HelperRoute, _ parentName: [UInt8]?, _ opener: Opener?) {
    self.route = route
    self.parentName = parentName
    self.opener = opener
  }

  /// The same TPM with the name of its storage key; see `TPMSealing`.
  package func bound(to parentName: [UInt8]) -> any TPMSealing {
    SecretHelper(route, parentName, opener)
  }

  /// The same TPM, for opening a key; see `TPMSealing`.
  package func forOpening() -> any TPMSealing { SecretHelper(route, parentName, Opener()) }

  /// Maker and firmware; see `TPMSealing`.
  package func facts() throws(TPMFailure) -> TPMFacts {
    switch try ask(GetTPMCall()) {
    case .done(let maker, let version): return TPMFacts(maker: maker, firmware: version)
    case .failed(let reason, let detail): throw TPMFailure(reason, detail)
    }
  }

  /// Seals 32 bytes; see `TPMSealing`.
  package func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret {
    switch try ask(SealSecretCall(secret: secret, authorization: authorization)) {
    case .done(let parentName, let privatePart, let publicPart):
      let sealed = TPMSealedSecret(
        parentName: parentName,
        privatePart: privatePart,
        publicPart: publicPart
      )
      guard sealed.isStorable else { throw TPMFailure(.malformed) }
      return sealed
    case .failed(let reason, let detail): throw TPMFailure(reason, detail)
    }
  }

  /// Opens what `seal` returned; see `TPMSealing`.
  package func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret {
    let call = OpenSecretCall(
      parentName: sealed.parentName,
      privatePart: sealed.privatePart,
      publicPart: sealed.publicPart,
      authorization: authorization
    )
    switch try ask(call, keptBy: opener) {
    case .done(let secret):
      // No slot has a secret of another length, so this is a failure of the helper.
      guard secret.bytes.count == MachineKeySlot.secretCount else { throw TPMFailure(.malformed) }
      return secret
    case .failed(let reason, let detail): throw TPMFailure(reason, detail)
    }
  }

  /// Defines a counter; see `TPMSealing`.
  package func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try counter(
      ask(
        DefineCounterCall(
          index: Int(index),
          authorization: authorization,
          parentName: parentName
        )
      ),
      of: index
    )
  }

  /// Reads a counter; see `TPMSealing`.
  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    let call = ReadCounterCall(
      index: Int(index),
      authorization: authorization,
      parentName: parentName
    )
    if let helper = opener?.take(), let reply = try askAgain(call, of: helper) {
      return try counter(reply, of: index)
    }
    return try counter(ask(call), of: index)
  }

  /// Increments a counter; see `TPMSealing`.
  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try counter(
      ask(
        IncrementCounterCall(
          index: Int(index),
          authorization: authorization,
          parentName: parentName
        )
      ),
      of: index
    )
  }

  /// Replaces the authorization value of a counter; see `TPMSealing`.
  package func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try counter(
      ask(
        ConfirmCounterCall(
          index: Int(index),
          authorization: authorization,
          nextAuthorization: next,
          parentName: parentName
        )
      ),
      of: index
    )
  }

  /// Removes a counter; see `TPMSealing`.
  package func removeCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) {
    let call = RemoveCounterCall(
      index: Int(index),
      authorization: authorization,
      parentName: parentName
    )
    if case .failed(let reason, let detail) = try ask(call) { throw TPMFailure(reason, detail) }
  }

  /// The counter in a reply.
  ///
  /// The index of another counter must not be written to the ledger.
  private func counter(
    _ reply: CounterReply,
    of index: UInt32
  ) throws(TPMFailure) -> TPMCounter {
    switch reply {
    case .done(let found, let value):
      guard found == Int(index), let value = UInt64(exactly: value) else {
        throw TPMFailure(.malformed)
      }
      return TPMCounter(index: index, value: value)
    case .failed(let reason, let detail): throw TPMFailure(reason, detail)
    }
  }

  /// Asks a new process, and keeps it if an opener is given.
  private func ask<Method: VarlinkMethod>(
    _ call: Method,
    keptBy opener: Opener? = nil
  ) throws(TPMFailure) -> Method.Reply {
    do throws(HelperError) {
      let helper = try HelperLink(.secret, by: route)
      var isKept = false
      defer { if !isKept { helper.finish(withinMilliseconds: Self.courtesy) } }
      let reply = try ask(call, of: helper)
      if let opener {
        opener.keep(helper)
        isKept = true
      }
      return reply
    } catch {
      throw TPMFailure(error)
    }
  }

  /// Asks the process that has opened a secret; `nil` if it has ended.
  private func askAgain<Method: VarlinkMethod>(
    _ call: Method,
    of helper: HelperLink
  ) throws(TPMFailure) -> Method.Reply? {
    defer { helper.finish(withinMilliseconds: Self.courtesy) }
    do throws(HelperError) {
      return try ask(call, of: helper)
    } catch {
      guard error == .ended else { throw TPMFailure(error) }
      return nil
    }
  }

  private func ask<Method: VarlinkMethod>(
    _ call: Method,
    of helper: HelperLink
  ) throws(HelperError) -> Method.Reply {
    try helper.send(call)
    var buffer = MessageBuffer(.helper)
    let end = BootInstant.now.advanced(bySeconds: Self.limit)
    let reply = try helper.receive(&buffer, to: Method.self, until: end).reply
    // One call has one reply, so a helper that has sent more is not the installed one.
    guard buffer.count == 0 else { throw .malformed }
    return reply
  }
}

/// Keeps the process that has opened a secret, until it reads the counter or the opening ends.
private final class Opener: Sendable {
  private let helper = Mutex<HelperLink?>(nil)

  deinit { take()?.finish(withinMilliseconds: SecretHelper.courtesy) }

  func keep(_ opened: HelperLink) {
    let former = helper.withLock { helper in
      defer { helper = opened }
      return helper
    }
    former?.finish(withinMilliseconds: SecretHelper.courtesy)
  }

  func take() -> HelperLink? {
    helper.withLock { helper in
      defer { helper = nil }
      return helper
    }
  }
}

extension TPMFailure {
  /// The failure that the helper reports.
  fileprivate init(_ reason: SecretFailure, _ detail: String?) {
    self =
      switch reason {
      case .absent: .absent
      case .notPermitted: .notPermitted
      case .anotherTPM: .anotherTPM
      case .ownerPassword: .ownerPassword
      case .wrongAuthorization: .wrongAuthorization
      case .damaged: .damaged
      case .busy: .busy
      case .lockedOut: .lockedOut
      case .noCounter: .noCounter
      case .noRoom: .noRoom
      case .indexTaken: .indexTaken
      case .unexpected: .unexpected(detail ?? "no code")
      }
  }

  /// The failure of a helper that did not report.
  fileprivate init(_ error: HelperError) {
    self =
      switch error {
      case .notStarted(let why): .unreachable(why)
      case .ended, .unseen: .unreachable("the program for the TPM ended without an answer")
      case .silent: .unreachable("the TPM did not answer in time")
      case .malformed: .unreachable("the program for the TPM gave an answer that makes no sense")
      }
  }
}
