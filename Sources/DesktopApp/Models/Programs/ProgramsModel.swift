internal import GTK
internal import Observation
internal import VaultClient
internal import VaultInterface

/// The rules for programs that act without a person.
@Observable
@MainActor
final class ProgramsModel {
  /// What a test of the rules has said.
  struct Answer: Equatable {
    /// The process or the unit, as the person has typed it.
    let subject: String
    let reply: TestRuleReply
  }

  /// The rules, as the vault told of them last; `nil` before the first look.
  var rules: ListRulesReply? { seen.reply }
  /// The restricted sockets of agents that run, as `followSockets()` saw them last.
  private(set) var sockets: [SocketWords] = []
  /// What the last test has said.
  private(set) var answer: Answer?
  /// Why the person's last act did not work, or else the last look.
  var trouble: Trouble? { actTrouble ?? seen.trouble }
  private var actTrouble: Trouble?
  /// Why the last test did not work.
  private(set) var testTrouble: Trouble?
  /// The rules at the last test.
  @ObservationIgnored
  private var testedRules: ListRulesReply?

  @ObservationIgnored
  private let vault: VaultModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let seen: VaultLook<ListRulesReply>
  @ObservationIgnored
  private let removals = CallQueue()

  init(_ link: VaultLink?, of vault: VaultModel) {
    (self.link, self.vault) = (link, vault)
    seen = VaultLook(link) { connection throws(VaultClientError) in
      try connection.call(ListRulesCall())
    }
  }

  /// Reads the rules again, and forgets what a test has said of other rules.
  func look() async {
    await seen.again()
    if let testedRules, rules != testedRules { forgetTest() }
  }

  /// Follows the restricted sockets until the task is cancelled.
  func followSockets() async {
    guard let link else { return }
    for await notes in SocketFeed.sockets(of: link.location) {
      let now = notes.map(SocketWords.init)
      if now != sockets { sockets = now }
    }
  }

  /// Asks which rules hold for a process, by its number, or for a unit, by its name.
  func test(_ subject: String) async {
    guard let link, !subject.isEmpty else { return }
    let asked = rules
    (answer, testTrouble, testedRules) = (nil, nil, asked)
    do throws(VaultClientError) {
      let process = Int(subject)
      let call = TestRuleCall(process: process, unit: process == nil ? subject : nil)
      let reply = try await link.call { connection, _ throws(VaultClientError) in
        try connection.call(call)
      }
      // The rules may have changed in the meantime.
      if rules == asked { answer = Answer(subject: subject, reply: reply) }
    } catch {
      testTrouble = Trouble(error)
    }
  }

  /// Forgets the test.
  func forgetTest() { (answer, testTrouble, testedRules) = (nil, nil, nil) }

  /// Removes a setting of a rule of the person's own, after a check by the system password.
  func remove(_ key: String, of rule: String) async {
    actTrouble = nil
    await removals.run(at: vault) { await removeNow(key, of: rule) }
  }

  private func removeNow(_ key: String, of rule: String) async {
    guard let link else { return }
    do throws(VaultClientError) {
      try await link.call(again: .untilPrompted) { connection, prompt throws(VaultClientError) in
        let name = "caller.\(rule).\(key)"
        _ = try connection.call(SetPolicyCall(key: name, value: nil, prompt: prompt, ask: true))
      }
      vault.news = tr("Rule changed")
      await look()
      await vault.read()
    } catch {
      actTrouble = Trouble(error)
    }
  }
}
