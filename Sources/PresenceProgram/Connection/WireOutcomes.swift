internal import FingerprintReader
internal import HelperInterface
internal import PresenceTerms
internal import SystemPassword

// Translates the results of the reader and of PAM to the interface's types.

extension HelperCheckEvent {
  init(_ event: FingerprintReader.CheckEvent, _ reader: ReaderFacts?) {
    switch event {
    case .ready(let only):
      self = .ready(
        name: reader?.name,
        driver: reader?.driver,
        scan: reader?.scan,
        finger: only?.name
      )
    case .waiting: self = .waiting
    case .retry(let hint): self = .retry(hint)
    }
  }

  init(_ result: Result<Verdict, ReaderError>) {
    switch result {
    case .success(.matched(let finger)): self = .matched(finger: finger?.name)
    case .success(.noMatch): self = .notMatched
    case .failure(let error):
      self = .failed(
        PresenceOutcome(error),
        detail: error.description,
        lost: error == .lostPrints,
        hiddenReader: error == .vanished
      )
    }
  }

  init(_ result: Result<PasswordCheck.Verdict, PasswordError>) {
    switch result {
    case .success(.matched): self = .matched(finger: nil)
    // The engine adds the delay for a wrong password, without holding a process.
    case .success(.noMatch(_, let notes)):
      self = notes.isEmpty ? .notMatched : .failed(.noMatch, detail: notes)
    case .failure(let error): self = .failed(PresenceOutcome(error), detail: error.description)
    }
  }
}

extension PresenceOutcome {
  init(_ error: ReaderError) {
    self =
      switch error {
      case .notEnrolled, .badPrint, .lostPrints: .notEnrolled
      case .busy, .vanished: .busy
      case .timedOut: .timedOut
      case .cancelled, .sleeping: .cancelled
      case .noReader, .noPermission, .removed, .tooHot, .unsupported, .duplicate, .storageFull,
        .memory, .failed:
        .notAvailable
      }
  }

  init(_ error: PasswordError) {
    self =
      switch error {
      case .cancelled: .cancelled
      case .noStack, .unavailable: .notAvailable
      case .unknownUser, .accountExpired, .mustChangePassword, .passwordInactive, .passwordLocked,
        .refusedUnasked, .tooManyTries, .noPasswordAsked, .userChanged, .denied:
        .denied
      }
  }
}

extension HelperReader {
  init(_ look: ReaderLook) {
    switch look {
    case .plugged(let name, let driver, let isInUse):
      self.init(available: true, name: name.isEmpty ? nil : name, driver: driver, inUse: isInUse)
    case .throughFprintd(let name):
      self.init(available: true, name: name.isEmpty ? nil : name, driver: "fprintd")
    case .noPermission(let name, let driver):
      self.init(
        available: false,
        name: name.isEmpty ? nil : name,
        driver: driver,
        reason: "this user may not open the fingerprint reader"
      )
    case .none:
      self.init(available: false, reason: "no fingerprint reader is plugged in")
    case .notLooked:
      let reason = "not checked: no supported reader is on USB"
      self.init(available: false, reason: reason, looked: false)
    }
  }
}

extension HelperDeletions {
  init(_ result: Result<[Deletion], ReaderError>, of prints: [StoredPrint]) {
    switch result {
    case .success(let deletions):
      var detail: String?
      let prints = deletions.map { deletion -> PrintDeletion in
        switch deletion {
        case .deleted: return .deleted
        case .notStored: return .notStored
        case .elsewhere: detail = "it is on another reader"
        case .failed(let error): detail = error.description
        }
        return .left
      }
      self.init(prints: prints, detail: detail)
    case .failure(let error):
      // Without the reader nothing is known about prints stored on a reader.
      self.init(
        prints: prints.map { $0.isOnReader ? .left : .notStored },
        detail: error == .notEnrolled ? "it is on another reader" : error.description
      )
    }
  }
}

extension HelperEnrolled {
  /// The result of asking fprintd over the bus.
  ///
  /// There is nothing to use if fprintd is missing, refuses this user, or has a finger without a
  /// name here. Any other failure leaves the state unknown.
  init(_ result: Result<Set<Finger>, ReaderError>) {
    switch result {
    case .success(let fingers):
      self.init(source: fingers.isEmpty ? .none : .names, fingers: fingers.map(\.name).sorted())
    case .failure(.busy): self.init(source: .unknown, asleep: true)
    case .failure(let error): self.init(source: error.isLasting ? .none : .unknown)
    }
  }

  /// The prints in fprintd's files.
  init(_ prints: [StoredPrint]) {
    let entries = prints.map { (finger: $0.finger.name, digest: $0.digest) }.sorted {
      $0.finger == $1.finger
        ? $0.digest.lexicographicallyPrecedes($1.digest) : $0.finger < $1.finger
    }
    self.init(
      source: entries.isEmpty ? .none : .prints,
      fingers: entries.map(\.finger),
      digests: entries.map(\.digest)
    )
  }
}
