internal import Doctor
internal import JSON
internal import PlainText
internal import VaultClient

enum DoctorVerbs {
  static let all = [doctor]

  static let doctor = Verb(
    "doctor",
    summary: "find problems, and say how to fix them",
    details: """
      Changes nothing. First the command checks the installation and its environment; then the \
      engine checks its vault. If the engine cannot start, the reason is one of the problems. The \
      exit status is 0 if there are no problems (there may be warnings), else 6.
      """
  ) { session throws(CommandError) in
    let caller = Caller(
      hasTerminal: session.output.isTerminal,
      mask: session.inheritedMask,
      environment: session.environment
    )
    let examination = Examination(of: session.location, by: caller)
    var findings = examination.withoutEngine()
    do throws(VaultClientError) {
      defer { session.output.clearStatus() }
      findings += try examination.ofEngine(session.calls, whenSlow: session.announceWaiting)
    } catch {
      throw CommandError(error)
    }
    let problems = findings.count { $0.severity == .problem }
    let warnings = findings.count { $0.severity == .warning }
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
      "name": .string(finding.name), "level": .string(finding.severity.rawValue),
      "message": .string(finding.message), "remedy": AccountText.optional(finding.remedy),
      "command": AccountText.optional(finding.action?.command),
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
        padded(finding.severity.rawValue, to: 9)
        + padded(PlainText.line(finding.name), to: width + 2)
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
