internal import VaultClient
internal import VaultInterface

/// Asks the engine for the findings that only the engine can give.
enum EngineChecks {
  private static let name = "engine"
  /// The time limit for the examination, in seconds: the engine reads everything.
  private static let limit: Int64 = 150

  /// - Throws: only `interrupted`: a check that Ctrl-C ends has found no fault.
  static func run(
    _ calls: VaultCalls,
    _ whenSlow: (() -> Void)?
  ) throws(VaultClientError) -> [Finding] {
    do throws(VaultClientError) {
      _ = try calls.open()
    } catch {
      return [try finding(error)]
    }
    var findings: [Finding] = []
    do throws(VaultClientError) {
      let status = try calls.run(again: .untilPrompted, asking: nil) {
        connection,
        _ throws(VaultClientError) in
        try connection.call(GetStatusCall())
      }
      findings.append(version(status))
    } catch {
      findings.append(try finding(error))
    }
    do throws(VaultClientError) {
      try calls.run(again: .untilPrompted, asking: nil) {
        connection,
        _ throws(VaultClientError) in
        try connection.stream(ExamineCall(), within: limit, whenSlow: whenSlow) {
          findings.append(Finding($0))
        }
      }
    } catch {
      // A vault that does not open answers both calls in the same way.
      let found = try finding(error)
      if findings.last != found { findings.append(found) }
    }
    return findings
  }

  static func version(_ status: VaultStatus) -> Finding {
    guard status.version != thumblatchVersion else {
      let form = status.form.rawValue
      return .ok(name, "\(form), version \(status.version), process \(status.process)")
    }
    let command =
      status.form == .service ? "systemctl stop thumblatchd" : "kill \(status.process)"
    return .warning(
      name,
      "the running engine is version \(status.version), and this program \(thumblatchVersion)",
      remedy: (status.form == .service ? "as root: " : "")
        + "\(command); the next call starts the new engine",
      action: .run(command)
    )
  }

  private static func finding(_ error: VaultClientError) throws(VaultClientError) -> Finding {
    switch error {
    case .interrupted: throw error
    case .refused(.vaultUnsafe(let message, let hint)):
      .problem(name, message, remedy: hint)
    case .refused(.machineKeyNeeded(let message)):
      .warning(
        name,
        message,
        remedy: "touch it at a terminal: thumblatch status",
        action: .run("thumblatch status")
      )
    case .refused(let error): .problem(name, error.message ?? error.name, remedy: nil)
    default: .problem(name, "\(error)", remedy: error.remedy)
    }
  }
}

extension Finding {
  fileprivate init(_ reply: ExamineReply) {
    let severity: Severity =
      switch reply.level {
      case .ok: .ok
      case .warning: .warning
      case .problem: .problem
      }
    let action: FindingAction? =
      if let account = reply.signIn {
        .signIn(account: account)
      } else if let account = reply.protect {
        .protect(account: account)
      } else {
        reply.command.map(FindingAction.run)
      }
    self.init(
      name: reply.name,
      severity: severity,
      message: reply.message,
      remedy: reply.remedy,
      action: action
    )
  }
}
