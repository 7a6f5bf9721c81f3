import JSON
import System
import TestSupport
import Testing

/// `doctor` finds each planted fault, names the remedy, and continues with its checks.
@Suite(.serialized)
struct DoctorTests {
  /// One person with one account.
  ///
  /// Their home is restored before each fault.
  private struct Patient {
    let person: Person
    let original: String

    init() throws {
      person = try Person()
      try person.register()
      try person.endEngine()
      original = try Programs.scratch.get() + "/patient"
      try shell("rm -rf \(original); cp -a \(person.base) \(original)")
    }

    /// Restores everything, with own copies of the files, because those of the programs are shared.
    func heal() throws {
      try person.endEngine()
      try shell("rm -rf \(person.base)/*; cp -a \(original)/. \(person.base)/")
    }
  }

  private struct Finding {
    let name: String
    let level: String
    let message: String
    let remedy: String?
  }

  private static func examine(
    _ person: Person,
    before: String = ":"
  ) throws -> (findings: [Finding], end: ProcessEnd) {
    let outcome = try person.shell("\(before); exec \(person.programs)/thumblatch doctor --json")
    guard case .object(let object) = try JSONReader.read(Array(outcome.text.utf8)) else {
      throw SystemError("no JSON object", code: 71, subject: outcome.text)
    }
    let findings = try object.array("findings").map { value in
      guard case .object(let finding) = value else { throw SystemError("finding", code: 71) }
      return Finding(
        name: try finding.string("name"),
        level: try finding.string("level"),
        message: try finding.string("message"),
        remedy: try finding.optionalString("remedy")
      )
    }
    let problems = findings.count { $0.level == "problem" }
    #expect(try object.integer("problems") == Int64(problems))
    return (findings, outcome.end)
  }

  @Test
  func everyPlantedFaultIsFoundWithItsRemedy() throws {
    #expect(Self.faults.count >= 20)
    let patient = try Patient()
    try patient.heal()
    let healthy = try aHealthyVaultHasNoProblem(patient.person)
    for fault in Self.faults {
      #expect(!healthy.contains("\(fault.name) \(fault.level)"), "\(fault)")
      do {
        try find(fault, in: patient)
      } catch {
        Issue.record("\(fault): \(error)")
      }
    }
  }

  /// The names and levels of the findings if no fault is planted.
  private func aHealthyVaultHasNoProblem(_ person: Person) throws -> Set<String> {
    let (findings, end) = try Self.examine(person)
    #expect(end == .exited(0))
    for finding in findings where finding.level == "problem" {
      Issue.record("\(finding.name): \(finding.message)")
    }
    #expect(findings.allSatisfy { ($0.level == "ok") == ($0.remedy == nil) })
    // The text output has the same findings, within the width of the terminal.
    let session = try person.terminal("doctor", columns: 80)
    let shown = try session.end()
    #expect(shown.contains("no problems"))
    // A path is never broken, however long it is.
    let short = shown.replacing(person.base, with: "/tmp/tl-a1B2c3")
    #expect(short.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 80 }, "\(shown)")
    return Set(findings.map { "\($0.name) \($0.level)" })
  }

  private func find(_ fault: Fault, in patient: Patient) throws {
    let person = patient.person
    try patient.heal()
    if fault.engineRuns { try person.run("status").succeeded() }
    let places =
      "S=\(person.state); P=\(person.home)/.config/thumblatch/providers.d; B=\(person.programs); "
      + "U=\(person.user.user); "
    try shell(places + fault.plant)
    let result = Result { try Self.examine(person, before: fault.before) }
    try person.endEngine()
    try shell(places + fault.undo)
    let (findings, end) = try result.get()
    let found = findings.filter { $0.name == fault.name && $0.level == fault.level }
    #expect(
      found.contains { $0.remedy?.contains(fault.remedy) == true },
      "\(fault) \(findings.filter { $0.level != "ok" })"
    )
    #expect(end == .exited(findings.contains { $0.level == "problem" } ? 6 : 0), "\(fault)")
    // The other examinations ran nevertheless.
    let names = Set(findings.map(\.name))
    let always = [
      "programs", "state-directory", "providers", "password", "locale", "clock", "engine",
    ]
    #expect(names.isSuperset(of: always), "\(fault)")
  }
}
