internal import FingerprintReader
internal import SystemPassword
internal import VaultInterface

// What the reader and PAM say, in the words of the interface.

extension ScanHint {
  init(_ hint: RetryHint) {
    self =
      switch hint {
      case .general: .general
      case .tooShort: .tooShort
      case .centerFinger: .centerFinger
      case .removeFinger: .removeFinger
      }
  }
}

extension HelperCheckEvent {
  init(_ event: FingerprintReader.CheckEvent) {
    switch event {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .retry(let hint): self = .retry(ScanHint(hint))
    }
  }

  init(_ result: Result<Verdict, ReaderError>) {
    switch result {
    case .success(.matched(let finger)): self = .matched(finger: finger?.name)
    case .success(.noMatch): self = .notMatched
    case .failure(let error): self = .failed(HelperFailure(error), detail: error.description)
    }
  }

  init(_ result: Result<PasswordCheck.Verdict, PasswordError>) {
    switch result {
    case .success(.matched): self = .matched(finger: nil)
    // The engine lets the time pass that a wrong password costs, without holding a process.
    case .success(.noMatch): self = .notMatched
    case .failure(let error): self = .failed(HelperFailure(error), detail: error.description)
    }
  }
}

extension HelperFailure {
  init(_ error: ReaderError) {
    self =
      switch error {
      case .notEnrolled, .badPrint: .notEnrolled
      case .busy: .busy
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
        .tooManyTries, .noPasswordAsked, .userChanged, .denied:
        .denied
      }
  }
}

extension HelperReader {
  init(_ result: Result<ReaderFacts, ReaderError>) {
    switch result {
    case .success(let facts):
      self.init(
        available: true,
        name: facts.name,
        driver: facts.driver,
        device: facts.device,
        stages: facts.stages
      )
    case .failure(let error):
      self.init(available: false, reason: error.description)
    }
  }
}

extension HelperEnrolled {
  /// What can be seen over the bus.
  ///
  /// Where fprintd is not there, lets this user not look, or has what could come and go unseen, there is
  /// nothing to be used. All else says nothing.
  init(_ result: Result<Set<Finger>, ReaderError>) {
    switch result {
    case .success(let fingers):
      self.init(source: fingers.isEmpty ? .none : .names, fingers: fingers.map(\.name).sorted())
    case .failure(let error): self.init(source: error.isLasting ? .none : .unknown)
    }
  }

  /// What lies in fprintd's files.
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
