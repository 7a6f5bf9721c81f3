import Cryptography
import HTTPTransport
import HelperInterface
import SecretMemory
import System
import Varlink

/// The exchange helper's connection: a call of `Exchange`, the request, the durable outcome, the
/// reply.
///
/// The process may be started long before that call, and knows nothing of it until then.
struct ExchangeHelper: ~Copyable {
  /// The longest wait for a byte, in milliseconds; then it checks its files and waits again.
  private static let checkInterval: Int32 = 15_000

  /// If the engine started it for a request, the request comes within this time after the greeting,
  /// in milliseconds.
  private static let haste: Int32 = 5
  /// How long it waits after its reply until the engine no longer needs it, in milliseconds.
  private static let rest: Int32 = 2000

  private let connection: EngineConnection
  /// The engine's user.
  private let engine: UInt32
  /// Whether it belongs to the service, which passes no descriptors except this connection.
  private let isService: Bool
  /// Whether it serves this process itself.
  private let isRehearsal: Bool
  /// The path of the program at the start.
  private let program: String?
  /// The files of its code at the greeting; `nil` if one had already been replaced.
  private var image: RunningImage?
  /// Whether it is ready for its request.
  private var isPrepared = false
  /// Whether it ended before any part of a request came.
  private var isIdleAtEnd = false
  /// When the first byte of the request came.
  private var begun = BootInstant.now

  /// Makes a helper for the engine that runs as this user, on descriptor 0.
  init(engine: UInt32, isService: Bool) {
    connection = EngineConnection(Descriptor(owning: 0))
    self.engine = engine
    self.isService = isService
    isRehearsal = false
    program = try? ThisProcess.programPath()
  }

  /// Makes a helper that serves this process itself; see `rehearse()`.
  init(rehearsalOn socket: consuming Descriptor) {
    connection = EngineConnection(socket)
    engine = ThisProcess.user
    isService = true
    isRehearsal = true
    program = nil
  }

  /// Serves one call; false if the received data was not a valid call.
  ///
  /// A helper without a request has nothing to answer: the engine no longer needs it, or its
  /// program was replaced.
  consuming func run() -> Bool {
    do {
      // Only the engine may use this process.
      guard try connection.socket.peerCredentials().user == engine else { return false }
      guard let received = try receiveCall() else { return isIdleAtEnd }
      guard case .exchange(let call, let slot, let announces) = received else {
        if case .request(let call) = received {
          try? connection.send(VarlinkReply(Self.perform(call)))
        }
        return true
      }
      let reply = perform(call, slot: slot, announces: announces)
      // The outcome is durable, or is in the reply. The engine may need the lock when it gets the
      // reply.
      slot?.release()
      // The engine may be gone. If there is a slot, the outcome is in it.
      try? connection.send(VarlinkReply(reply))
      // Ending takes the kernel a millisecond, in which the engine could not write the new tokens.
      if !isRehearsal { _ = try? connection.socket.waitReadable(milliseconds: Self.rest) }
      return true
    } catch {
      return false
    }
  }

  private enum Received {
    /// With the slot's descriptor if one came, and whether to announce the start of the request.
    case exchange(ExchangeCall, Slot?, announces: Bool)
    case request(HelperRequestCall)
  }

  /// The first call of `Exchange` or `Request`; other calls are refused.
  private mutating func receiveCall() throws -> Received? {
    var slot: Slot?
    while true {
      while let call = try connection.buffer.nextCall() {
        do throws(VarlinkError) {
          switch try HelperRequest(call) {
          case .exchange(let exchange):
            return .exchange(exchange, slot, announces: call.more)
          // The engine asks, before any exchange, whether the helper runs and may wait.
          case .proceed:
            if isIdle(slot) {
              guard mayWait else {
                isIdleAtEnd = true
                return nil
              }
              Confinement.rest()
            }
            try? connection.send(VarlinkReply(EmptyReply()))
          // The answer goes to a descriptor that only a client can pass.
          case .request(let request) where !isService: return .request(request)
          case .request, .loadPrint, .check, .respond, .enroll, .keep, .deletePrints, .getReader,
            .listEnrolled, .getTPM, .sealSecret, .openSecret, .defineCounter, .readCounter,
            .incrementCounter, .confirmCounter, .removeCounter, .getKey, .makeKeySecret,
            .openKeySecret:
            throw .methodNotImplemented(call.method)
          }
        } catch {
          // Before the reply: after it the engine may tell this process to end.
          if isIdle(slot) { Confinement.rest() }
          try connection.send(error.reply)
        }
        if isIdle(slot) { try prepare() }
      }
      if isIdle(slot), !(try waitForRequest()) {
        isIdleAtEnd = true
        return nil
      }
      // Only one descriptor is expected: a second one is closed and ignored.
      guard try connection.receive({ if slot == nil { slot = Slot($0) } }) else {
        isIdleAtEnd = isIdle(slot)
        return nil
      }
    }
  }

  /// Whether no part of a request has come.
  private func isIdle(_ slot: Slot?) -> Bool { connection.buffer.count == 0 && slot == nil }

  /// Whether its program is still the one of its start, and its libraries, once it is prepared.
  private var mayWait: Bool {
    isPrepared ? image?.isCurrent == true : (try? ThisProcess.programPath()) == program
  }

  /// Waits for the first byte of a request without limit.
  ///
  /// It returns false if this process must not serve it, because its program or a library was
  /// replaced during the wait.
  private mutating func waitForRequest() throws(SystemError) -> Bool {
    while !(try connection.socket.waitReadable(milliseconds: Self.checkInterval)) {
      guard image?.isCurrent == true else { return false }
    }
    Confinement.begin()
    begun = .now
    return true
  }

  /// Prepares everything that the first request needs; once, after the greeting.
  private mutating func prepare() throws(SystemError) {
    guard !isPrepared, !isRehearsal else { return }
    // The engine makes its request during that time.
    _ = Self.initializedLibraries
    guard !(try connection.socket.waitReadable(milliseconds: Self.haste)) else { return }
    isPrepared = true
    Self.rehearse()
    // After the rehearsal, which loads libraries.
    if let program, try ThisProcess.programPath() == program { image = try? RunningImage() }
    Confinement.rest()
  }

  private func perform(_ call: ExchangeCall, slot: Slot?, announces: Bool) -> ExchangeReply {
    // Two seconds are for the work before and after the request.
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
          body: try answer.reply(to: call)
        )
      } catch {
        return ExchangeReply(error)
      }
    }
    // Find every obstacle to sealing the answer before there is an answer.
    guard let slot, let seal = try? Seal(key: key, context: call.context ?? []) else {
      return .notSent(.other)
    }
    let begins = beginning(of: call, announces: announces)
    return perform(request, slot: slot, seal: seal, waits: call.waits, begins)
  }

  /// Returns the function to call before the first byte of the request; false forbids sending.
  private func beginning(of call: ExchangeCall, announces: Bool) -> () -> Bool {
    let connection = connection
    return {
      (!call.waits || connection.mayProceed()) && (!announces || Self.announce(on: connection))
    }
  }

  /// Tells the engine that the request is about to be sent.
  ///
  /// If it returns false, the engine does not know, and nothing may be sent. The engine would take
  /// the end of this process for a request that was not sent, and send it again.
  private static func announce(on connection: EngineConnection) -> Bool {
    guard let begun = try? VarlinkReply(ExchangeReply.begun, continues: true) else { return false }
    return (try? connection.send(begun)) != nil
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
      // The engine treats an empty slot with a recorded intent as uncertain.
      guard error.isNotSent else { return ExchangeReply(error) }
      // The slot holds the outcome of nothing until the engine has recorded its intent.
      if waits, !connection.mayProceed() { return ExchangeReply(error) }
      outcome = .notSent(reason: error.word)
    }
    guard let image = try? seal.image(of: outcome) else { return .lost(.other) }
    return slot.keep(image) ? .done : .sealed(image)
  }

  /// Seconds since the request began, rounded down, so that the second for the work after it
  /// remains.
  private var elapsedSeconds: Int {
    Int((BootInstant.now.nanoseconds - begun.nanoseconds) / 1_000_000_000)
  }

  /// Milliseconds left for a request out of a lifetime in seconds: one second is for the rest.
  private func remaining(of lifetime: Int) -> Int {
    let life = Int64(lifetime - 1) * 1_000_000_000
    let left = life - (BootInstant.now.nanoseconds - begun.nanoseconds)
    return max(1, Int(left / 1_000_000))
  }
}

extension HTTPRequest {
  /// Makes the engine's request, limited to `milliseconds`.
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

  /// The users in a message; numbers that are not valid user ids are ignored.
  static func users(_ numbers: [Int]) -> Set<UInt32> {
    Set(numbers.compactMap { UInt32(exactly: $0) })
  }
}
