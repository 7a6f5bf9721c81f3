import Configuration
import DesktopPrompt
import GTK
import PresenceTerms
import TerminalIO
import VaultClient
import VaultInterface

@testable import DesktopApp

/// Prints the sentences of the app's prompts, or other texts of it, in the language of the
/// environment, one a line.
///
/// A line has a name, the sentence of the app, and that of the command line if it is the same in
/// English, with a tab between them. No value in them has a word of two letters.

/// Prints a line.
func say(_ name: String, _ text: String, like other: String = "") {
  print([name, text, other].map { $0.replacing("\n", with: " | ") }.joined(separator: "\t"))
}

let methodLists: [[PresenceMethod]] = [[.fingerprint], [.key], [.password], [.fingerprint, .key]]

/// The questions of a purpose about an account or none, with a detail that the vault writes.
@MainActor
func sayQuestions(of purpose: PresencePurpose, _ account: String?, _ number: Int, _ detail: String?)
{
  let request = PresenceRequest(
    prompt: "",
    requester: "",
    account: account,
    purpose: purpose,
    detail: detail,
    methods: [],
    timeout: 60
  )
  let sense = PresenceText.purpose(of: request)
  // The command line has the identifiers of fingers.
  let isAlike = !(detail ?? "").hasPrefix("right-")
  for (index, methods) in methodLists.enumerated() {
    for scan in ScanType.allCases {
      say(
        "\(purpose.rawValue) \(account ?? "-") \(number) \(index) \(scan.rawValue)",
        PresenceWords.question(request, by: methods, scan),
        like: isAlike ? "\(methods.request(scan)) to \(sense)." : ""
      )
    }
  }
  say("need \(purpose.rawValue) \(account ?? "-") \(number)", PresenceWords.need(request))
}

@MainActor
func sayTries() {
  let lists: [[PresenceMethod]] =
    methodLists + [[.fingerprint, .password], [.key, .password], []]
  for method in PresenceMethod.allCases {
    for outcome in PresenceOutcome.allCases {
      for (index, left) in lists.enumerated() {
        for scan in ScanType.allCases {
          // The command line names the key that chooses the password, and the app has a button.
          let isAlike = !left.contains(where: \.isDevice) || left.allSatisfy(\.isDevice)
          say(
            "try \(method.rawValue) \(outcome.rawValue) \(index) \(scan.rawValue)",
            PresenceWords.nextTry(after: method, outcome, "", left: left, scan),
            like: isAlike
              ? PresenceText.nextTry(after: method, outcome, "", left: left, scan) : ""
          )
        }
      }
    }
  }
  // The reason of the engine is the sentence of the app.
  let reason = "the system refuses this user"
  say(
    "refused",
    PresenceWords.nextTry(after: .password, .denied, reason, left: [.password], .press)
  )
  for outcome in PresenceOutcome.allCases {
    say(
      "outcome \(outcome.rawValue)",
      PresenceWords.failure(outcome, ""),
      like: PresenceText.failure(outcome, "")
    )
  }
}

@MainActor
func sayTexts() {
  for (index, text) in EngineTexts.clauses.enumerated() {
    let isAlike = !text.contains("right-") && !text.contains("left-")
    say(
      "clause \(index)",
      PresenceWords.reason(of: asked(reason: text)) ?? "",
      like: isAlike ? PresenceText.reason(text) : ""
    )
    say(
      "failure \(index)",
      PresenceWords.failure(.denied, text),
      like: isAlike ? PresenceText.failure(.denied, text) : ""
    )
  }
  for (index, text) in EngineTexts.requesters.enumerated() {
    for (number, reason) in [nil, "x 7"].enumerated() {
      let request = asked(by: text, stating: reason)
      let other = PresenceText.requested(by: PresenceText.requester(of: request))
      say(
        "requester \(index) \(number)",
        PresenceWords.requester(of: request),
        like: other.prefix(1).uppercased() + other.dropFirst() + "."
      )
    }
  }
  for (index, text) in EngineTexts.questions.enumerated() {
    let lines = PresenceText.questionLines(text)
    say("question \(index)", QuestionWords.lines(text), like: lines.joined(separator: "\n"))
  }
}

func asked(
  by requester: String = "",
  reason: String? = nil,
  stating statedReason: String? = nil,
  _ account: String? = nil,
  _ detail: String? = nil
) -> PresenceRequest {
  PresenceRequest(
    prompt: "",
    requester: requester,
    account: account,
    purpose: .refresh,
    detail: detail,
    methods: [],
    timeout: 60,
    reason: reason,
    statedReason: statedReason
  )
}

func question(to purpose: PresencePurpose, _ account: String?, _ detail: String) -> String {
  let request = PresenceRequest(
    prompt: "",
    requester: "",
    account: account,
    purpose: purpose,
    detail: detail,
    methods: [],
    timeout: 60
  )
  return PresenceWords.question(request, by: [.password], .press)
}

/// Prints sentences with names that a program or a provider chose.
@MainActor
func sayHostile() {
  let hostile = asked(
    by: "\"b7\u{202E}\", PID 7" + String(repeating: "x", count: 200),
    stating: "%s</b>",
    "%s\u{202E}<b>",
    "scope not set, scope %s\u{1B}[2J"
  )
  say("question", PresenceWords.question(hostile, by: [.fingerprint], .press))
  say("requester", PresenceWords.requester(of: hostile))
  // An ambiguous text stays unchanged, and so does one that the code does not know.
  say("ambiguous", question(to: .remove, "m7", "p7 at q7 at r7"))
  say("ending", question(to: .replace, "m7", "p7 at q7 → r7 → s7 at d7; protection ends"))
  say("label", question(to: .unlock, nil, "m7 (\"token for CI\")"))
  say("labels", question(to: .unlock, nil, "m7 (\"t7, n7 for 5 min\"), o7 for 10 min"))
  say("unknown", PresenceWords.reason(of: asked(reason: "something new")) ?? "")
  say("module", QuestionWords.lines("cancelled\nToken: "))
  say("module's PIN", QuestionWords.lines("Wrong PIN. Token: "))
}

/// Prints the notifications of an agent, and what the pages say of a secret that expires.
@MainActor
func sayNotices() {
  for notice in NoticeTexts.notices {
    let words = NoticeWords(translating: notice)
    let name = "notice \(notice.kind.rawValue) \(notice.method ?? "-")"
    say(name, [words.summary, words.body, words.signIn ?? "-"].joined(separator: "\n"))
  }
  for (name, account) in NoticeTexts.secrets {
    let words = AccountWords(account: account)
    say("secret \(name)", (words.summary + [words.remedy ?? "-"]).joined(separator: "\n"))
    say("secret \(name) icon", words.icon)
  }
}

/// Prints texts of pages that come in English from other rooms.
@MainActor
func sayPages() {
  for name in PageTexts.names { say("name \(name)", FindingWords.title(name)) }
  for (index, text) in PageTexts.messages.enumerated() {
    say("message \(index)", FindingWords.message(text).text)
  }
  for (index, text) in PageTexts.remedies.enumerated() {
    say("remedy \(index)", FindingWords.remedy(text).text)
  }
  for (index, text) in PageTexts.keyProblems.enumerated() {
    let status = DeviceSecretStatusReply(
      tier: .file,
      slots: [],
      open: false,
      tpmProblem: text,
      counterProblem: text
    )
    let words = SecretWords(status: status)
    let slot = VaultMachineSlot(id: "s7", problem: text)
    say("key \(index)", [words.tpm ?? "", words.copies ?? "", slot.facts].joined(separator: "\n"))
  }
  for (index, text) in PageTexts.readers.enumerated() {
    let reader = VaultReader(available: false, reason: text)
    say("reader \(index)", [reader.words, ProtectionModel.text(reader)].joined(separator: "\n"))
    let other = VaultReader(available: false, reason: text, known: .notLooked)
    say("reader \(index) not looked for", other.words)
  }
  for (index, text) in PageTexts.leftOut.enumerated() {
    say("left out \(index)", Trouble(FindingWords.translated(text)).text)
  }
  let details = PageTexts.details.map { ("refresh", $0) } + PageTexts.eventDetails
  for (index, (event, text)) in details.enumerated() {
    let record = VaultAuditRecord(
      number: 7,
      time: 1_800_000_000,
      event: event,
      outcome: "done",
      requester: "\"b7\" run by \"c7\", PID 7",
      detail: text
    )
    say("detail \(index)", ActivityWords(record: record).text)
  }
  for (index, text) in PageTexts.hostile.enumerated() {
    say("hostile \(index)", FindingWords.message(text).text)
  }
  for template in ProviderTemplate.all {
    let words = TemplateWords(of: template)
    let texts = [words.title] + words.notes + template.placeholders.map(words.field)
    say("template \(template.name)", texts.joined(separator: "\n"))
  }
}

/// Prints why something did not work, and what to do about it.
@MainActor
func sayTroubles() async {
  for (name, error) in TroubleTexts.errors { say(name, Trouble(error).text) }
  for (name, trouble) in await TroubleTexts.others() { say(name, trouble?.text ?? "") }
  for (index, text) in TroubleTexts.findings.enumerated() {
    say("finding \(index)", Trouble(FindingWords.message(text)).text)
  }
  for (index, text) in TroubleTexts.remedies.enumerated() {
    say("remedy \(index)", Trouble(FindingWords.remedy(text)).text)
  }
  for (index, text) in TroubleTexts.errorsInEnglish.enumerated() {
    say("error \(index)", Trouble(english: text).text)
  }
  for (name, reply) in TroubleTexts.verdicts { say("audit \(name)", reply.words) }
  say("restored", TroubleTexts.restored.problem ?? "")
}

/// Prints texts with commands, from each place that shows some, for a private vault.
@MainActor
func sayCommands() {
  CommandWords.setVault(.privateVault)
  say("verbs", CommandWords.verbs.joined(separator: " "))
  sayNotices()
  for text in ["if you restored it yourself, accept it: thumblatch recover", "x7: thumblatch x"] {
    say("trouble \(text)", Trouble(english: "x7", advice: text).text)
  }
  for (name, finding) in NoticeTexts.findings {
    say("finding \(name)", finding.parts.map(\.text).joined(separator: "\n"))
  }
}

Translation.begin(in: CommandLine.arguments[2])
switch CommandLine.arguments[1] {
case "hostile": sayHostile()
case "pages": sayPages()
case "notices": sayNotices()
case "commands": sayCommands()
case "troubles": await sayTroubles()
default:
  for purpose in PresencePurpose.allCases {
    for account in ["m7", nil] {
      for (number, detail) in EngineTexts.details(of: purpose).enumerated() {
        sayQuestions(of: purpose, account, number, detail)
      }
    }
  }
  sayTries()
  sayTexts()
}
