internal import JSON
internal import PlainText
internal import System
internal import VaultClient
internal import VaultInterface

/// `doctor`.
enum DoctorVerbs {
  static let all = [doctor]

  static let doctor = Verb(
    "doctor",
    summary: "find problems, and say how to fix them",
    details: """
      Changes nothing. Checks first what the caller can see; then the engine checks its vault. If \
      the engine cannot start, the reason is one of the problems. The exit status is 0 if there \
      are no problems (there may be warnings), else 6.
      """
  ) { session throws(CommandError) in
    var findings = ProgramChecks.run()
    findings +=
      session.usesPrivateVault
      ? DirectoryChecks(environment: session.environment).run()
      : ServiceChecks.run(session.location)
    findings += ProviderChecks.run(environment: session.environment)
    findings += PasswordStackChecks.run()
    findings += EnvironmentChecks(session).run()
    findings += try EngineChecks(session).run()
    let problems = findings.count { $0.level == .problem }
    let warnings = findings.count { $0.level == .warning }
    try session.show(
      [
        "findings": .array(findings.map { .object(object($0)) }),
        "problems": .integer(Int64(problems)), "warnings": .integer(Int64(warnings)),
      ],
      text(findings, columns: session.output.columns)
        + "\n\n\(count(problems, "problem")), \(count(warnings, "warning"))"
    )
    guard problems == 0 else {
      throw CommandError(.unsafeVault, "\(count(problems, "problem")) found", isSaid: true)
    }
  }

  private static func object(_ finding: Finding) -> JSONObject {
    [
      "name": .string(finding.name), "level": .string(finding.level.rawValue),
      "message": .string(finding.message), "remedy": AccountText.optional(finding.remedy),
    ]
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number == 0 ? "no" : "\(number)") \(word)\(number == 1 ? "" : "s")"
  }

  /// A line for each finding, with the remedy below; on a terminal, lines break at words.
  static func text(_ findings: [Finding], columns: Int?) -> String {
    let width = findings.map { PlainText.width($0.name) }.max() ?? 0
    let indent = 9 + width + 2
    var lines: [String] = []
    for finding in findings {
      let head =
        padded(finding.level.rawValue, to: 9) + padded(PlainText.line(finding.name), to: width + 2)
      let texts = [finding.message] + (finding.remedy.map { ["remedy: \($0)"] } ?? [])
      for (index, text) in texts.enumerated() {
        let plain = PlainText.line(text, limit: 1200)
        let wrapped =
          columns.map { PlainText.wrapped(plain, columns: max(20, $0 - indent)) } ?? [plain]
        for (row, line) in wrapped.enumerated() {
          let isFirst = index == 0 && row == 0
          lines.append((isFirst ? head : String(repeating: " ", count: indent)) + line)
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(1, columns - PlainText.width(text)))
  }
}

/// The result of one check, here or by the engine.
typealias Finding = ExamineReply

extension Finding {
  static func ok(_ name: String, _ message: String) -> Finding {
    Finding(name: name, level: .ok, message: message)
  }

  static func warning(_ name: String, _ message: String, remedy: String) -> Finding {
    Finding(name: name, level: .warning, message: message, remedy: remedy)
  }

  static func problem(_ name: String, _ message: String, remedy: String?) -> Finding {
    Finding(name: name, level: .problem, message: message, remedy: remedy)
  }

  /// The failure of a check is itself a finding.
  static func problem(_ name: String, _ error: CommandError) -> Finding {
    .problem(name, error.message, remedy: error.hint)
  }
}

/// The findings that only the engine can give, and whether the engine answers.
struct EngineChecks {
  let session: Session

  init(_ session: Session) {
    self.session = session
  }

  /// Asks the engine for its version, and for its findings.
  ///
  /// - Throws: only exit 130: a check that Ctrl-C ends has found no fault.
  func run() throws(CommandError) -> [Finding] {
    do throws(CommandError) {
      try session.connect()
    } catch {
      return [try finding(error)]
    }
    return try version() + examination()
  }

  private func finding(_ error: CommandError) throws(CommandError) -> Finding {
    if error.code == .interrupted { throw error }
    return .problem("engine", error)
  }

  private func version() throws(CommandError) -> [Finding] {
    do throws(CommandError) {
      let status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
      guard status.version != thumblatchVersion else {
        let form = status.form.rawValue
        return [.ok("engine", "\(form), version \(status.version), process \(status.process)")]
      }
      return [
        .warning(
          "engine",
          "the engine that runs is version \(status.version), this program \(thumblatchVersion)",
          remedy: status.form == .service
            ? "root ends it, and the next call starts the new one: systemctl stop thumblatchd"
            : "end it, and the next call starts the new one: kill \(status.process)"
        )
      ]
    } catch {
      return [try finding(error)]
    }
  }

  private func examination() throws(CommandError) -> [Finding] {
    var findings: [Finding] = []
    do throws(CommandError) {
      try session.stream(
        within: Session.remoteLimit,
        { _ in ExamineCall() },
        each: { findings.append($0) }
      )
    } catch {
      findings.append(try finding(error))
    }
    return findings
  }
}
