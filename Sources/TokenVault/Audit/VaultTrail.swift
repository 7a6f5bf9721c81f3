internal import Cryptography
internal import Storage
internal import System

/// What came of checking the audit trail.
public struct TrailFacts: Sendable, Equatable {
  /// Whether every record is what was written, and none is missing.
  public let isWhole: Bool
  /// How many records there are.
  public let records: Int
  /// The number of the first one; 0 where there is none.
  public let first: Int64
  /// The number of the last one.
  public let last: Int64
  /// When the first one was written, in seconds since 1970.
  public let firstTime: Int64?
  /// When the last one was written.
  public let lastTime: Int64?
  /// The first number whose record is not what was written, or is missing.
  public let bad: Int64?
  /// When the record of that number says that it was written; `nil` if there is none.
  public let badTime: Int64?
  /// `altered`, `dropped`, `reordered`, `truncated`, `duplicated`, `added`, `head`, `checkpoint`.
  public let problem: String?
}

extension Vault {
  /// How often the trail is looked through for what is too old, in seconds.
  static let pruningInterval: Int64 = 86_400
  /// After so many further records it is looked through, too.
  static let pruningRecords = 1000

  /// The trail in the store.
  var trail: Trail { Trail(store: store, vault: identifier, owner: owner) }

  /// A step of the trail, with its error in the vault's words.
  func trailed<Value>(
    _ body: () throws(TrailFailure) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(TrailFailure) {
      return try body()
    } catch {
      switch error {
      case .storage(let error): throw failure(of: error)
      case .cryptography(let error):
        throw .unexpected("the trail cannot be continued: \(error)")
      }
    }
  }

  /// Writes a record in the running transaction: if it cannot be written, nothing else is either.
  func record(_ entry: AuditEntry) throws(VaultFailure) {
    let time = clock.wall.seconds
    try trailed { () throws(TrailFailure) in
      try self.trail.append(entry.bounded, at: time, using: self.trailKeys)
    }
    recordsSincePruning += 1
  }

  // MARK: - Checking

  /// Checks the whole trail, record by record; others are served meanwhile.
  ///
  /// - Throws: `vaultUnsafe` where the store may be an old copy: its trail is whole as far as it
  ///   goes, and what was written since is missing.
  public func verifyTrail() async throws(VaultFailure) -> TrailFacts {
    try demandCurrentStore()
    return try await checkedTrail()
  }

  /// Checks the trail as it is, whatever store it belongs to.
  func checkedTrail() async throws(VaultFailure) -> TrailFacts {
    let verdict = try await verdict()
    let bad = verdict.found?.number
    return try stored { () throws(StorageError) in
      TrailFacts(
        isWhole: verdict.found == nil,
        records: verdict.records,
        first: verdict.first,
        last: verdict.last,
        firstTime: try self.store.auditTime(of: verdict.first),
        lastTime: try self.store.auditTime(of: verdict.last),
        bad: bad,
        badTime: try bad.flatMap { number throws(StorageError) in
          try self.store.auditTime(of: number)
        },
        problem: verdict.found?.flaw.name
      )
    }
  }

  private func verdict() async throws(VaultFailure) -> TrailVerdict {
    var verification = TrailVerification(of: trail)
    var keys = trailKeys.chain.identifier
    while true {
      // With other keys all codes are others.
      if trailKeys.chain.identifier != keys {
        keys = trailKeys.chain.identifier
        verification = TrailVerification(of: trail)
      }
      let verdict = try trailed { () throws(TrailFailure) in
        try verification.step(using: self.trailKeys)
      }
      if let verdict { return verdict }
      await Task.yield()
    }
  }

  // MARK: - Keeping it short

  /// Writes the counted refusals down and removes what is too old, if that is due; called at the
  /// start and each minute.
  public func tendTrail() async throws(VaultFailure) {
    try flushRefusals()
    // An old copy that was put back stays as it is.
    guard standing == .current else { return }
    let now = clock.boot
    if let lastPruning, now.seconds(since: lastPruning) < Self.pruningInterval,
      recordsSincePruning < Self.pruningRecords
    {
      return
    }
    lastPruning = now
    recordsSincePruning = 0
    try await pruneTrail()
  }

  /// Removes what is too old or too much.
  func pruneTrail() async throws(VaultFailure) {
    func end() throws(VaultFailure) -> Int64? {
      try trailed { () throws(TrailFailure) in
        try self.trail.endOfPruning(
          to: self.trailLimitsNow(),
          at: self.clock.wall.seconds,
          using: self.trailKeys
        )
      }
    }
    guard try end() != nil else { return }
    // What is removed is checked for the last time; until then the trail can only grow.
    let found = try await verdict().found
    guard let end = try end() else { return }
    let time = clock.wall.seconds
    try change { () throws(VaultFailure) in
      try self.trailed { () throws(TrailFailure) in
        try self.trail.prune(through: end, found: found, at: time, using: self.trailKeys)
      }
    }
  }
}
