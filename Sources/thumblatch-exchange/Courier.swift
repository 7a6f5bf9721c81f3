import Cryptography
import HTTPTransport
import SecretMemory
import System
import VaultInterface

/// One conversation: a call of `Exchange`, the request, the outcome kept safe, the reply.
///
/// It may be started long before that call, and knows nothing of it until then.
struct Courier: ~Copyable {
  /// How long it waits for a byte at once, in milliseconds; then it looks at its files, and waits again.
  private static let patience: Int32 = 15_000

  /// How soon after the greeting a request comes that it was started for, in milliseconds.
  private static let haste: Int32 = 5
  /// How long it waits after its reply until the engine needs it no longer, in milliseconds.
  private static let rest: Int32 = 2000

  private let socket: Descriptor
  /// The engine's user.
  private let engine: UInt32
  /// Whether it is the service's, which has no descriptors but the conversation.
  private let isService: Bool
  private let inbox = Inbox()
  /// Whether it serves this process itself.
  private let isRehearsal: Bool
  /// The program's path at the start.
  private let program: String?
  /// What it ran when it was greeted; nil if something of that was replaced already.
  private var image: RunningImage?
  /// It ended before anything of a request had come.
  private var isIdleAtEnd = false
  /// When the first byte of the request came.
  private var begun = BootInstant.now

  /// A courier of the engine that runs as this user, on descriptor 0.
  init(engine: UInt32, isService: Bool) {
    socket = Descriptor(owning: 0)
    self.engine = engine
    self.isService = isService
    isRehearsal = false
    program = try? ThisProcess.programPath()
  }

  /// One that serves this process itself; see `rehearse()`.
  init(rehearsalOn socket: consuming Descriptor) {
    self.socket = socket
    engine = ThisProcess.user
    isService = true
    isRehearsal = true
    program = nil
  }

  /// False if what came was no call that could be answered.
  ///
  /// A courier without a request has nothing to answer: its engine needs it no longer, or its program was
  /// replaced.
  consuming func run() -> Bool {
    do {
      // Only the engine may use this process.
      guard try socket.peerCredentials().user == engine else { return false }
      guard let received = try receiveCall() else { return isIdleAtEnd }
      guard case .exchange(let call, let slot, let announces) = received else {
        if case .request(let call) = received { try? send(VarlinkReply(Self.perform(call))) }
        return true
      }
      let reply = perform(call, slot: slot, announces: announces)
      // The outcome is durable by now, or comes back. The engine may need the lock when it has the reply.
      slot?.release()
      // Nobody may be there any more. Where there is a slot, the outcome lies in it.
      try? send(VarlinkReply(reply))
      // To end takes the kernel a millisecond, in which the engine could not write what the reply brought.
      if !isRehearsal { _ = try? socket.waitReadable(milliseconds: Self.rest) }
      return true
    } catch {
      return false
    }
  }

  private enum Received {
    /// With the slot's descriptor if one came, and whether `begun` is to be told.
    case exchange(ExchangeCall, Slot?, announces: Bool)
    case request(HelperRequestCall)
  }

  /// The first call of `Exchange` or `Request`; other calls are refused.
  private mutating func receiveCall() throws -> Received? {
    var slot: Slot?
    while true {
      while let call = try inbox.buffer.nextCall() {
        do throws(VarlinkError) {
          switch try HelperRequest(call) {
          case .exchange(let exchange):
            return .exchange(exchange, slot, announces: call.more)
          // Before there is an exchange: the engine asks whether one may wait.
          case .proceed:
            if isIdle(slot) { Confinement.rest() }
            try? send(VarlinkReply(EmptyReply()))
          // Its answer goes to a descriptor that a client has to hand down.
          case .request(let request) where !isService: return .request(request)
          case .request, .loadPrint, .check, .respond, .enroll, .keep, .deletePrints, .getReader,
            .listEnrolled:
            throw .methodNotImplemented(call.method)
          }
        } catch {
          // Before the answer: the engine may tell this process to end once it has that.
          if isIdle(slot) { Confinement.rest() }
          try send(error.reply)
        }
        if isIdle(slot) { try prepare() }
      }
      if isIdle(slot), !(try waitForRequest()) {
        isIdleAtEnd = true
        return nil
      }
      let count = unsafe try inbox.buffer.receive { room throws(SystemError) in
        guard let received = unsafe try socket.receive(into: room) else { return 0 }
        let count = received.count
        // One descriptor is meant: a second one is closed and changes nothing.
        if let passed = received.takeDescriptor(), slot == nil { slot = Slot(passed) }
        return count
      }
      guard let count, count > 0 else {
        isIdleAtEnd = isIdle(slot)
        return nil
      }
    }
  }

  /// Whether nothing of a request has come.
  private func isIdle(_ slot: Slot?) -> Bool { inbox.buffer.count == 0 && slot == nil }

  /// Waits for the first byte of a request, however long that takes; false if this process is no longer the
  /// one to ask, because its program or a library was replaced meanwhile.
  private mutating func waitForRequest() throws(SystemError) -> Bool {
    while !(try socket.waitReadable(milliseconds: Self.patience)) {
      guard image?.isCurrent == true else { return false }
    }
    Confinement.begin()
    begun = .now
    return true
  }

  /// Has all that the first request needs made before there is one; once, after the greeting.
  private mutating func prepare() throws(SystemError) {
    guard image == nil, !isRehearsal, !(try socket.waitReadable(milliseconds: Self.haste)) else {
      return
    }
    Self.rehearse()
    // Behind it, which loads libraries.
    if let program, try ThisProcess.programPath() == program { image = try? RunningImage() }
    Confinement.rest()
  }

  private func send(_ reply: VarlinkReply) throws { try Self.send(reply, on: socket) }

  private static func send(_ reply: VarlinkReply, on socket: borrowing Descriptor) throws {
    let message = try reply.encoded(on: .helper)
    unsafe try message.withUnsafeBytes { bytes throws(SystemError) in
      var rest = unsafe bytes
      while rest.count > 0 {
        guard let sent = unsafe try socket.send(rest) else { continue }
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(sent))
      }
    }
  }

  private func perform(_ call: ExchangeCall, slot: Slot?, announces: Bool) -> ExchangeReply {
    // Two seconds are for what comes before the request and after it.
    let wanted = min(max(call.timeout, 0), 600_000) / 1000 + 2
    let lifetime = min(max(wanted, Confinement.lifetime), Confinement.longestLifetime)
    if lifetime > Confinement.lifetime {
      Confinement.setLifetime(to: max(1, lifetime - elapsedSeconds))
    }
    let request = HTTPRequest(call, milliseconds: remaining(of: lifetime))
    guard let key = call.key else {
      do throws(HTTPError) {
        let answer = try request.send(beginning(of: call, announces: announces))
        return .answered(
          status: answer.status,
          retryAfter: answer.retryAfter,
          body: SharedSecret(answer.takeBody())
        )
      } catch {
        return ExchangeReply(error)
      }
    }
    // What would keep the answer from being sealed is found out before there is one.
    guard let slot, let seal = try? Seal(key: key, context: call.context ?? []) else {
      return .notSent(.other)
    }
    let begins = beginning(of: call, announces: announces)
    return perform(request, slot: slot, seal: seal, waits: call.waits, begins)
  }

  /// What is done before the first byte of the request is sent; false: it may not be sent.
  private func beginning(of call: ExchangeCall, announces: Bool) -> () -> Bool {
    let (number, inbox) = (socket.number, inbox)
    return {
      let socket = Descriptor(owning: number)
      let mayBegin =
        (!call.waits || inbox.mayProceed(socket)) && (!announces || Self.announce(on: socket))
      _ = socket.relinquish()
      return mayBegin
    }
  }

  /// Tells the engine that the request is about to be sent.
  ///
  /// False: the engine does not know, so nothing may be sent. It takes the end of this process for a
  /// request that was not sent, and sends it again.
  private static func announce(on socket: borrowing Descriptor) -> Bool {
    guard let begun = try? VarlinkReply(ExchangeReply.begun, continues: true) else { return false }
    return (try? send(begun, on: socket)) != nil
  }

  private func perform(
    _ request: HTTPRequest,
    slot: Slot,
    seal: borrowing Seal,
    waits: Bool,
    _ begins: @escaping () -> Bool
  ) -> ExchangeReply {
    let outcome: ExchangeOutcome
    do throws(HTTPError) {
      let answer = try request.send(begins)
      outcome = .answered(
        status: answer.status,
        retryAfter: answer.retryAfter,
        body: SharedSecret(answer.takeBody())
      )
    } catch {
      // An empty slot and a recorded intent are what the engine calls uncertain.
      guard error.isNotSent else { return ExchangeReply(error) }
      // Until the engine has written it down, the slot holds the outcome of nothing.
      if waits, !inbox.mayProceed(socket) { return ExchangeReply(error) }
      outcome = .notSent(reason: error.word)
    }
    guard let image = try? seal.image(of: outcome) else { return .lost(.other) }
    return slot.keep(image) ? .done : .sealed(image)
  }

  /// Seconds since the request began, rounded down: the second for what comes after the request stays.
  private var elapsedSeconds: Int {
    Int((BootInstant.now.nanoseconds - begun.nanoseconds) / 1_000_000_000)
  }

  /// Milliseconds that a request may still take of a lifetime in seconds: one second is for the rest.
  private func remaining(of lifetime: Int) -> Int {
    let life = Int64(lifetime - 1) * 1_000_000_000
    let left = life - (BootInstant.now.nanoseconds - begun.nanoseconds)
    return max(1, Int(left / 1_000_000))
  }
}

extension HTTPRequest {
  /// A request as the engine describes it, within `milliseconds`.
  init(_ call: ExchangeCall, milliseconds: Int) {
    self.init(method: call.httpMethod, url: call.url)
    headers = call.headers
    credentials = call.credentials
    body = call.body
    authorities = call.ca
    pins = call.pins
    proxy = call.proxy
    mayReachThisMachine = call.local
    if let listeners = call.listeners { loopbackUsers = Self.users(listeners) }
    timeout = min(call.timeout, milliseconds)
    connectTimeout = call.connectTimeout ?? connectTimeout
    maximumBody = min(call.maximumBody, ExchangeOutcome.maximumBodyCount)
  }

  /// Users as a message numbers them; what is no number of a user names none.
  static func users(_ numbers: [Int]) -> Set<UInt32> {
    Set(numbers.compactMap { UInt32(exactly: $0) })
  }
}

extension HTTPError {
  /// Whether it is proven that no byte of the request has left.
  var isNotSent: Bool {
    switch self {
    case .refused, .notSent, .untrustedListener: true
    case .interrupted: false
    }
  }

  /// The reason in a slot, which has one text for it.
  var word: String {
    guard case .untrustedListener(let user?) = self else { return reason.rawValue }
    return "\(reason.rawValue) \(user)"
  }
}

extension ExchangeReply {
  /// The reply for a request without an answer.
  init(_ error: HTTPError) {
    if case .untrustedListener(let user) = error {
      self = .untrustedListener(user: user.map { Int($0) })
      return
    }
    let reason = ExchangeFailure(rawValue: error.reason.rawValue) ?? .other
    self = error.isNotSent ? .notSent(reason) : .lost(reason)
  }
}
