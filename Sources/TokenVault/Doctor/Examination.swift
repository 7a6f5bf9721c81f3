internal import AuditLog
internal import Configuration
internal import MachineKey
internal import PlainText
internal import SecretMemory
internal import Storage
internal import System

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
    var findings = look("store", examineStore)
    findings += look("rollback-counter", examineCounter)
    findings += look("device-secret", examineDeviceSecret)
    findings += look("tpm-counter", examineMachineCounter)
    findings += look("transfer", examineTransfer)
    findings += look("slots", examineSlots)
    findings += look("token-files", examineTokenFiles)
    findings += examineAccounts()
    findings += look("policy", examinePolicy)
    findings += await examineAuditLog()
    findings += look("clock-audit", examineClock)
    findings += look("memory", examineMemory)
    let reader = await reader()
    findings += look("reader") { examine(reader, &$0) }
    findings += look("security-keys", examineKeys)
    findings += await examineGuard()
    return findings
  }

  /// Runs one examination; a failure that prevents it is itself a finding.
  private func look(
    _ name: String,
    _ body: (inout Findings) throws(VaultFailure) -> Void
  ) -> [VaultFinding] {
    var found = Findings(name)
    do throws(VaultFailure) {
      try body(&found)
    } catch {
      return [VaultFinding(name, notExamined: error)]
    }
    let left = found.all.count - Self.mostOfOneKind
    guard left > 0 else { return found.all }
    return found.all.prefix(Self.mostOfOneKind)
      + [VaultFinding(name, .problem, "\(left) more of this kind")]
  }

  private func examineStore(_ found: inout Findings) throws(VaultFailure) {
    let problems = try stored(try store.integrityProblems())
    if problems.isEmpty { found.ok("vault.db is intact") }
    for problem in problems {
      found.problem(
        "vault.db is damaged: \(problem)",
        remedy: "restore the state directory from a copy; check the disk"
      )
    }
  }

  private func examineCounter(_ found: inout Findings) throws(VaultFailure) {
    if let failure = freshness.failure { throw failure }
    let count = try boxChanges()
    guard !isCounterBehind || count == rollbackCounter else {
      return found.problem(
        "the rollback counter cannot be written, so nothing can be changed",
        remedy: "free space, and check the disk; the next change writes the counter first"
      )
    }
    let counter: RollbackCounter?
    do throws(StorageError) {
      counter = try RollbackCounterFile.read(in: directory)
    } catch {
      guard case .damaged = error else { throw VaultFailure(error) }
      found.warning(
        "the rollback counter is damaged",
        remedy: "the next refresh writes it again; check the disk"
      )
      return
    }
    switch counter?.count {
    case count: found.ok("the store matches its rollback counter")
    case let counted?:
      found.problem(
        "the rollback counter does not match the store (\(counted), and the store says \(count))",
        remedy: "if you did not restore an old copy, find out who did"
      )
    case nil where count == 0: found.ok("nothing to count yet")
    case nil:
      found.warning(
        "the rollback counter is missing",
        remedy: "the next refresh writes it again; find out who removed it"
      )
    }
  }

  private func examineDeviceSecret(_ found: inout Findings) throws(VaultFailure) {
    try stored(try DeviceSecretFile.examine(in: directory))
    let facts = try machineKeySlots?.facts(of: owner)
    let kinds = Set(facts?.slots.compactMap(\.kind) ?? [])
    let isForKey = kinds.contains(.securityKey) && !kinds.contains(.tpm)
    let command = "thumblatch device-secret add " + (isForKey ? "fido2" : "tpm")
    // Only root changes the slots of the service.
    let remedy = (!isPrivate && !isForKey ? "as root: " : "") + command
    if isUnderMachineKey {
      let ways = facts?.ways ?? []
      guard !ways.isEmpty else {
        return found.problem(
          "no slot of the machine key can be read, so the vault does not open again",
          remedy: "before the engine ends: thumblatch backup FILE; then restore it into a new state"
            + " directory"
        )
      }
      guard machineKeySlots?.isHeldByCode != true else {
        return found.warning(
          "the recovery code opened the vault, and the next start of the engine may need it again",
          remedy: isForKey ? "if the security key is lost: \(command)" : remedy,
          action: isForKey ? nil : .run(command)
        )
      }
      found.ok("the vault needs \(ways.listed("or"))")
    } else if needsMachineKey {
      found.warning(
        "the machine key is not added yet: a copy of the directory opens the vault",
        remedy: remedy,
        action: .run(command)
      )
    } else {
      found.ok("the device secret is in a private file: a copy of the directory opens the vault")
    }
  }

  /// Finds nothing if no transfer is open.
  private func examineTransfer(_: inout Findings) throws(VaultFailure) { try demandNoMove() }

  private func examineSlots(_ found: inout Findings) throws(VaultFailure) {
    var left = Set(try stored(try SlotFile.names(in: directory)))
    let accounts = try stored(try store.allAccounts())
    for account in accounts {
      left.remove(SlotFile.fileName(of: account.id))
      do throws(StorageError) {
        _ = try SlotFile(in: directory, account: account.id)
      } catch {
        found.problem(
          "the slot of \(account.name) cannot be used: \(error)",
          remedy: "\(error.remedy ?? "restore it from a copy"); or: thumblatch account "
            + "remove \(account.name) --local, then sign in again"
        )
      }
    }
    for name in left.sorted() {
      found.warning(
        "slots/\(name) belongs to no account",
        remedy: "the next start of the engine removes what it left itself; remove any other file"
      )
    }
    if found.all.isEmpty { found.ok("each account has its slot (\(accounts.count))") }
  }

  private func examineTokenFiles(_ found: inout Findings) throws(VaultFailure) {
    guard directory.tokens != nil else { return }
    let known = Set(try accounts().map(\.name))
    for name in try stored(try TokenFiles.names(in: directory)) {
      do throws(StorageError) {
        try TokenFiles.examine(name, in: directory)
        guard name != "@", !known.contains(name) else { continue }
        found.warning(
          "tokens/\(name) belongs to no account",
          remedy: "remove it; it is only a cache"
        )
      } catch {
        found.problem(
          "tokens/\(error)",
          remedy: "remove tokens/\(name): it is only a cache; find out who changed it"
        )
      }
    }
    if found.all.isEmpty { found.ok("all of them are private") }
  }

  private func examinePolicy(_ found: inout Findings) throws(VaultFailure) {
    do throws(ConfigurationError) {
      _ = try readableMachinePolicy()
    } catch {
      return found.problem(
        "the policy cannot be read: \(error)",
        remedy:
          "as root: correct that file; it must be root's, and no other user may write to it or to"
          + " its directory"
      )
    }
    let policy = try machinePolicy().tightened(by: try ownRules())
    for (key, isStrict) in [
      (Policy.Key.key, policy.key == .verify), (.presence, policy.presence == .required),
      (.providers, policy.providers != .any),
      (.exportable, policy.exportable == .never), (.privateVaults, policy.privateVaults == .never),
    ] where isStrict && hasEffect(key) {
      found.ok("\(key.rawValue) = \(policy.value(of: key))\(try origin(of: key))")
    }
    found.ok("the policy can be read\(policyFile.map { " (\($0))" } ?? "")")
  }

  private func examineClock(_ found: inout Findings) throws(VaultFailure) {
    let last = try stored(try store.auditTail())
    let ahead = (last?.time ?? 0) - clock.wall.seconds
    guard ahead > 60 else { return found.ok("the clock is after the last audit record") }
    found.problem(
      "the clock is \(ahead) s before the last audit record",
      remedy: "set the clock (timedatectl); until then tokens may look valid for too long"
    )
  }

  private func examineMemory(_ found: inout Findings) {
    switch try? SecretBytes.protection {
    case .secretMemory: found.ok("secrets are in secret memory")
    case .locked: found.ok("secrets are in locked memory")
    case .ordinary, nil:
      found.warning(
        "secrets are in ordinary memory, which may be swapped to disk",
        remedy: "raise RLIMIT_MEMLOCK (ulimit -l) to 1 MiB or more, then end the engine"
      )
    }
  }

  private func examine(_ reader: ReaderFacts, _ found: inout Findings) {
    if reader.available {
      let known = reader.name ?? reader.driver ?? "it can be used"
      found.ok(known + (reader.isInUse ? ", in use by a program now" : ""))
    } else if reader.knowledge == .notLooked {
      found.ok(reader.reason ?? "not checked")
    } else {
      found.warning(
        "no fingerprint reader can be used: \(reader.reason ?? "none was found")",
        remedy: "an enrolled security key or the system password passes a check; plug in a"
          + " reader that libfprint supports, or let this user open it"
      )
    }
  }
}
