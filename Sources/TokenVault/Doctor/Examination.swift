internal import AuditLog
internal import SecretMemory
internal import Storage
internal import System

/// The result of examining one thing.
package struct VaultFinding: Sendable, Equatable {
  /// The severity of a finding.
  package enum Level: Sendable, Equatable {
    case ok
    case warning
    case problem
  }

  /// The stable name of the examined thing.
  package let name: String
  /// The severity.
  package let level: Level
  /// The finding, in one clause.
  package let message: String
  /// The remedy; `nil` if none is needed.
  package let remedy: String?

  init(_ name: String, _ level: Level, _ message: String, remedy: String? = nil) {
    self.name = name
    self.level = level
    self.message = message
    self.remedy = remedy
  }
}

extension Vault {
  /// The limit of findings of one kind; more are only counted.
  private static let mostOfOneKind = 20

  /// Examines the vault from inside, once for all callers that ask at the same time: it reads
  /// everything.
  ///
  /// Nothing is changed, and no fault prevents the rest of the examination.
  package func examine() async -> [VaultFinding] {
    if let examination { return await examination.value }
    let task = Task { await lookAtAll() }
    examination = task
    defer { examination = nil }
    return await task.value
  }

  private func lookAtAll() async -> [VaultFinding] {
    var findings = examineStore()
    findings += examineCounter()
    findings += examineDeviceSecret()
    findings += examineSlots()
    findings += examineTokenFiles()
    findings += examineAccounts()
    findings += await examineAuditLog()
    findings += examineClock()
    findings += examineMemory()
    findings += examineReader(await reader())
    findings += await examineGuard()
    return findings
  }

  /// Runs one examination; a failure that prevents it is itself a finding.
  private func look(
    _ name: String,
    _ body: () throws(VaultFailure) -> [VaultFinding]
  ) -> [VaultFinding] {
    do throws(VaultFailure) {
      let found = try body()
      let left = found.count - Self.mostOfOneKind
      guard left > 0 else { return found }
      return found.prefix(Self.mostOfOneKind)
        + [VaultFinding(name, .problem, "\(left) more of this kind")]
    } catch {
      guard case .vaultUnsafe(let message, let hint) = error else {
        return [VaultFinding(name, .problem, "could not be looked at: \(error)")]
      }
      return [VaultFinding(name, .problem, message, remedy: hint)]
    }
  }

  private func examineStore() -> [VaultFinding] {
    look("store") { () throws(VaultFailure) in
      let problems = try stored(try store.integrityProblems())
      guard !problems.isEmpty else { return [VaultFinding("store", .ok, "vault.db is intact")] }
      return problems.map {
        VaultFinding(
          "store",
          .problem,
          "vault.db is damaged: \($0)",
          remedy: "restore the state directory from a backup; check the disk"
        )
      }
    }
  }

  private func examineCounter() -> [VaultFinding] {
    look("rollback-counter") { () throws(VaultFailure) in
      if case .vaultUnsafe(let message, let hint)? = freshness.failure {
        return [VaultFinding("rollback-counter", .problem, message, remedy: hint)]
      }
      let count = try boxChanges()
      guard
        let counter = try stored(try RollbackCounterFile.read(in: directory))
      else {
        guard count > 0 else {
          return [VaultFinding("rollback-counter", .ok, "nothing to count yet")]
        }
        return [
          VaultFinding(
            "rollback-counter",
            .warning,
            "the rollback counter is missing",
            remedy: "the next refresh writes it again; find out who removed it"
          )
        ]
      }
      guard counter.count == count else {
        return [
          VaultFinding(
            "rollback-counter",
            .problem,
            "the rollback counter does not match the store (\(counter.count), and the store says \(count))",
            remedy: "if you did not restore an old copy, find out who did"
          )
        ]
      }
      return [VaultFinding("rollback-counter", .ok, "the store matches its rollback counter")]
    }
  }

  private func examineDeviceSecret() -> [VaultFinding] {
    look("device-secret") { () throws(VaultFailure) in
      try stored(try DeviceSecretFile.examine(in: directory))
      return [VaultFinding("device-secret", .ok, "the device secret is in a private file")]
    }
  }

  private func examineSlots() -> [VaultFinding] {
    look("slots") { () throws(VaultFailure) in
      var found: [VaultFinding] = []
      var left = Set(
        try stored(try SlotFile.names(in: directory))
      )
      let accounts = try stored(try store.allAccounts())
      for account in accounts {
        left.remove(SlotFile.fileName(of: account.id))
        do throws(StorageError) {
          _ = try SlotFile(in: directory, account: account.id)
        } catch {
          found.append(
            VaultFinding(
              "slots",
              .problem,
              "the slot of \(account.name) cannot be used: \(error)",
              remedy: "\(error.remedy ?? "restore it from a backup"); or: thumblatch account "
                + "remove \(account.name) --local, then sign in again"
            )
          )
        }
      }
      found += left.sorted().map {
        VaultFinding(
          "slots",
          .warning,
          "slots/\($0) belongs to no account",
          remedy: "the next start of the engine removes what it left itself; remove any other file"
        )
      }
      let fine = "each account has its slot (\(accounts.count))"
      return found.isEmpty ? [VaultFinding("slots", .ok, fine)] : found
    }
  }

  private func examineTokenFiles() -> [VaultFinding] {
    guard directory.tokens != nil else { return [] }
    return look("token-files") { () throws(VaultFailure) in
      let names = try stored(try TokenFiles.names(in: directory))
      let known = Set(try accounts().map(\.name))
      var found: [VaultFinding] = []
      for name in names {
        do throws(StorageError) {
          try TokenFiles.examine(name, in: directory)
          guard name != "@", !known.contains(name) else { continue }
          found.append(
            VaultFinding(
              "token-files",
              .warning,
              "tokens/\(name) belongs to no account",
              remedy: "remove it; it is only a cache"
            )
          )
        } catch {
          found.append(
            VaultFinding(
              "token-files",
              .problem,
              "tokens/\(error)",
              remedy: "remove tokens/\(name): it is only a cache; find out who changed it"
            )
          )
        }
      }
      return found.isEmpty ? [VaultFinding("token-files", .ok, "all of them are private")] : found
    }
  }

  private func examineClock() -> [VaultFinding] {
    look("clock-trail") { () throws(VaultFailure) in
      let last = try stored(try store.lastAuditTime())
      let ahead = (last ?? 0) - clock.wall.seconds
      guard ahead > 60 else {
        return [VaultFinding("clock-audit", .ok, "the clock stands after the last audit record")]
      }
      return [
        VaultFinding(
          "clock-audit",
          .problem,
          "the clock stands \(ahead) s before the last audit record",
          remedy: "set the clock (timedatectl); until then tokens may look valid for too long"
        )
      ]
    }
  }

  private func examineMemory() -> [VaultFinding] {
    switch try? SecretBytes.protection {
    case .secretMemory: return [VaultFinding("memory", .ok, "secrets lie in secret memory")]
    case .locked: return [VaultFinding("memory", .ok, "secrets lie in locked memory")]
    case .ordinary, nil:
      return [
        VaultFinding(
          "memory",
          .warning,
          "secrets lie in ordinary memory, which may be swapped to disk",
          remedy: "raise RLIMIT_MEMLOCK (ulimit -l) to 1 MiB or more, then end the engine"
        )
      ]
    }
  }

  private func examineReader(_ reader: ReaderFacts) -> [VaultFinding] {
    guard !reader.available else {
      let name = reader.name ?? reader.driver ?? "it can be used"
      let use = reader.isInUse ? ", in use by a program now" : ""
      return [VaultFinding("reader", .ok, name + use)]
    }
    if reader.knowledge == .notLooked {
      return [VaultFinding("reader", .ok, reader.reason ?? "not looked")]
    }
    return [
      VaultFinding(
        "reader",
        .warning,
        "no fingerprint reader can be used: \(reader.reason ?? "none was found")",
        remedy: "the system password passes every presence check; plug a reader in that libfprint "
          + "knows, or let this user open it"
      )
    ]
  }
}
