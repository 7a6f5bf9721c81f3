internal import HelperInterface
package import PresenceTerms
internal import SecretMemory
internal import System
package import TokenVault
internal import Varlink

/// Runs presence checks in `thumblatch-presence`, one process for each.
package struct HelperPresence: PresenceChecker {
  /// How many seconds longer than its own limit to wait for a helper.
  static let grace: Int64 = 5
  /// The most events of one helper.
  ///
  /// A person causes far fewer. Events wait in memory until the prompt has shown them.
  static let mostEvents = 500
  /// The most questions of one check; PAM modules ask one to three.
  static let mostQuestions = 32
  /// The pauses after which another helper looks for a reader that is in use, in milliseconds.
  static let pauses: [Int32] = [250, 500, 1000, 2000, 4000]
  /// How long a reader may take to delete a print, in milliseconds.
  private static let deletionTime = 8000

  private let route: HelperRoute
  private let turn = ReaderTurn()

  package init(by route: HelperRoute) {
    self.route = route
  }

  /// Starts a helper for a check that may follow; see `PresenceChecker`.
  package func prepare() async -> (any PreparedCheck)? {
    (try? await onThread { [self] in PreparedHelper(by: route, turn: turn) }) ?? nil
  }

  /// Starts a check by one method; see `PresenceChecker`.
  package func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    try HelperCheck(attempt, of: caller, by: route, turn: turn)
  }

  /// Enrolls a new print; see `PresenceChecker`.
  package func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation {
    try HelperEnrollment(request, by: route, turn: turn)
  }

  /// Deletes a print on the reader that stores it; see `PresenceChecker`.
  package func delete(_ print: LoadedPrint) async -> TokenVault.PrintDeletion {
    (try? await onThread { [self] in deletion(of: print) }) ?? .left("no thread for it")
  }

  /// The system's facts about the reader; see `PresenceChecker`.
  package func reader() async -> ReaderFacts {
    (try? await onThread { [self] in askReader() }) ?? Self.noReader("no thread for it")
  }

  /// The fingers that fprintd has for the caller's user; see `PresenceChecker`.
  package func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    try await DesktopQuestion(caller, by: route).fingers {
      [route] () throws(HelperError) in try HelperLink(.presence, by: route)
    }
  }

  /// The same, without starting fprintd; see `PresenceChecker`.
  package func desktopView(of caller: Caller) async throws(PresenceFailure) -> DesktopView {
    try await DesktopQuestion(caller, by: route).view {
      [route] () throws(HelperError) in try HelperLink(.presence, by: route)
    }
  }

  private func deletion(of print: LoadedPrint) -> TokenVault.PrintDeletion {
    do throws(HelperError) {
      let helper = try HelperLink(.presence, by: route)
      defer { helper.finish(withinMilliseconds: 3000) }
      var buffer = MessageBuffer(.helper)
      let end = BootInstant.now.advanced(bySeconds: Int64(Self.deletionTime / 1000) + Self.grace)
      try helper.send(LoadPrintCall(finger: print.finger, print: print.print, former: true))
      _ = try helper.receive(&buffer, to: LoadPrintCall.self, until: end)
      let call = HelperDeletePrintsCall(timeout: Self.deletionTime)
      try helper.send(call)
      let reply = try helper.receive(&buffer, to: HelperDeletePrintsCall.self, until: end).reply
      switch reply.prints.first {
      case .deleted, .notStored: return .gone
      case .left, nil: return .left(reply.detail ?? "the reader did not delete it")
      }
    } catch {
      return .left(error.reason)
    }
  }

  private func askReader() -> ReaderFacts {
    do throws(HelperError) {
      let helper = try HelperLink(.presence, by: route)
      defer { helper.finish(withinMilliseconds: 500) }
      try helper.send(HelperGetReaderCall())
      var buffer = MessageBuffer(.helper)
      let reader = try helper.receive(
        &buffer,
        to: HelperGetReaderCall.self,
        until: BootInstant.now.advanced(bySeconds: 10)
      ).reply
      return ReaderFacts(
        available: reader.available,
        name: reader.name,
        driver: reader.driver,
        reason: reader.reason,
        isInUse: reader.inUse,
        knowledge: reader.looked ? .plugged : .notLooked
      )
    } catch {
      return Self.noReader(error.reason)
    }
  }

  private static func noReader(_ reason: String) -> ReaderFacts {
    ReaderFacts(available: false, name: nil, driver: nil, reason: reason)
  }
}

extension HelperCheckCall {
  /// Makes a check for exactly the fingers that were seen.
  init(_ request: FingerRequest) {
    let desktop = request.desktop
    self.init(
      presenceMethod: .fingerprint,
      timeout: Int(request.seconds) * 1000,
      desktopDigests: desktop?.source == .names ? nil : desktop?.fingers.compactMap(\.digest) ?? [],
      desktopFingers: desktop?.source == .names ? desktop?.fingers.map(\.name) : nil,
      firstFinger: request.first
    )
  }
}

extension HelperCheckCall {
  /// Makes a check by one of the enrolled security keys.
  init(_ signing: KeySigning) {
    self.init(
      presenceMethod: .key,
      timeout: Int(signing.seconds) * 1000,
      keyCredentials: signing.credentials,
      challenge: signing.challenge,
      verify: signing.verifies,
      raced: signing.isRaced
    )
  }

  /// Makes a credential with the security key.
  init(_ making: KeyMaking) {
    self.init(
      presenceMethod: .key,
      timeout: Int(making.seconds) * 1000,
      keyCredentials: making.credentials,
      challenge: making.challenge,
      keyUser: making.user,
      keyName: making.name,
      keyPin: making.pin
    )
  }
}

extension HelperError {
  /// Why there was no check, as a text for people.
  var reason: String {
    switch self {
    case .notStarted(let why): why
    case .ended, .silent: "the presence program ended without an answer"
    case .malformed: "the presence program gave an answer that makes no sense"
    case .unseen: "fprintd does not answer"
    }
  }
}

extension PresenceFailure {
  /// The failure that a helper reports; `method` is `nil` for an enrollment.
  init(helper outcome: PresenceOutcome, detail: String?, of method: PresenceMethod? = nil) {
    let detail =
      switch outcome {
      case .notAvailable: detail ?? "there is no reader"
      case .busy: detail ?? "reader busy: another program has it"
      case .denied: detail ?? "the system refuses this user"
      // What PAM's modules say about a wrong password.
      case .noMatch where method == .password: detail ?? ""
      default: ""
      }
    self.init(outcome, detail: detail)
  }
}
