import DesktopPrompt
import Glibc
import HelperInterface
import JSON
import PresenceTerms
import SecretService
import System
import SystemBus
import TerminalIO
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

/// The texts of values that are all known: each value once.
struct ListedErrors {
  let title: String
  let entries: [String]

  static var all: [ListedErrors] {
    get throws {
      [
        ListedErrors(
          title: "Errors of the vault",
          entries: VaultError.samples.map { entry("\($0.listedCase)", CommandError($0)) }
        ),
        ListedErrors(
          title: "Errors of the connection to the vault",
          entries: VaultClientError.samples.map { entry("\($0.listedCase)", CommandError($0)) }
            + [VaultClientError.disconnected, .timedOut].map {
              entry("\($0.listedCase), of a call that is sent once", CommandError($0, .never))
            }
        ),
        ListedErrors(title: "Requests that were not sent", entries: notSent),
        ListedErrors(title: "Provider files and settings", entries: try FileErrors.entries),
        ListedErrors(title: "Settings that are refused", entries: try SettingErrors.entries),
        ListedErrors(title: "Standard input and output", entries: try InputErrors.entries),
        ListedErrors(
          title: "Helpers",
          entries: [entry("--within has passed", HelperRelay.late(8))]
        ),
        ListedErrors(title: "What doctor finds", entries: try DoctorFindings.entries),
        ListedErrors(title: "Presence prompts", entries: prompts),
        ListedErrors(
          title: "Purposes in few words",
          entries: PresencePurpose.allCases.map { entry($0.rawValue, $0.words) }
        ),
        ListedErrors(title: "Notices of the desktop", entries: DesktopNotices.entries),
        ListedErrors(
          title: "The page at the end of a browser's sign-in",
          entries: BrowserPages.entries
        ),
        ListedErrors(title: "The agent of the desktop", entries: agents),
        ListedErrors(title: "Presence checks: advice", entries: advice),
        ListedErrors(title: "Presence checks: after a failed try", entries: nextTries),
      ] + (try StatedTexts.all.map(\.list))
    }
  }

  static func entry(_ name: String, _ error: CommandError) -> String {
    var lines = ["[\(name)]", "! \(error.message)"]
    if let hint = error.hint { lines.append("! hint: \(hint)") }
    return lines.joined(separator: "\n") + "\nexit \(error.code.rawValue)\n"
  }

  static func entry(_ name: String, _ text: String) -> String { "[\(name)]\n| \(text)\n" }

  private static var notSent: [String] {
    ExchangeFailure.allCases.map {
      entry("notSent: \($0.rawValue)", RequestText.notSent(to: "api.example.com", $0))
    }
      + ExchangeFailure.allCases.map {
        entry("lost: \($0.rawValue)", RequestText.lost(from: "api.example.com", $0))
      } + [
        entry(
          "another user listens",
          RequestText.notSent(to: "localhost:8000", .listener, user: 1001)
        ),
        entry("a stranger listens", RequestText.notSent(to: "localhost:8000", .listener)),
      ]
      + notSentThroughProxy
      + [302, 401, 404].compactMap { status in
        RequestText.failure(status, status == 302 ? "https://example.com/" : nil)
          .map { entry("HTTP \(status)", $0) }
      }
  }

  private static var notSentThroughProxy: [String] {
    let reasons: [ExchangeFailure] = [.refused, .connect]
    return reasons.map { reason in
      let proxy = "http://proxy.example.com:3128"
      let error = RequestText.notSent(to: "api.example.com", reason, through: proxy)
      return entry("through a proxy: \(reason.rawValue)", error)
    }
  }

  private static var prompts: [String] {
    let details: [PresencePurpose: String] = [
      .refresh: "scope: read",
      .enable: "of ada@example.org at dev, and unlock it until it is idle for 10 min",
      .unlock: "me, work for 15 min", .enroll: "right-index", .deleteFinger: "right-index",
      .rename: "work", .policy: "window: 10 min → 5 min", .signOut: "ada@example.org at dev",
      .remove: "ada@example.org at dev", .exportable: "at dev", .setDefault: "instead of work",
      .replace: "ada at dev → eve at dev; protection ends",
      .applyProvider: "client_id cli → other",
    ]
    return PresencePurpose.allCases.flatMap { purpose in
      [details[purpose]].map { detail in
        let request = PresenceRequest.sample(purpose, detail: detail)
        let text = PresenceText.prompt(
          [purpose.allowsDevices ? .fingerprint : .password],
          to: PresenceText.purpose(of: request),
          requester: request.requester,
          password: purpose.allowsDevices
        )
        return entry(purpose.rawValue, text)
      }
    } + otherPrompts
  }

  private static var otherPrompts: [String] {
    [
      entry(
        "a reader to swipe over",
        PresenceText.prompt(
          [.fingerprint],
          to: "unlock the vault",
          requester: "bash, PID 4211",
          .swipe
        )
      ),
      entry(
        "a reader or a key",
        PresenceText.prompt(
          PresenceMethod.devices,
          to: "unlock the vault",
          requester: "bash, PID 4211",
          password: true
        )
      ),
      entry(
        "a reader to swipe over, or a key",
        PresenceText.prompt(
          PresenceMethod.devices,
          to: "unlock the vault",
          requester: "bash, PID 4211",
          .swipe
        )
      ),
      entry(
        "the password",
        PresenceText.prompt([.password], to: "unlock the vault", requester: "bash, PID 4211")
      ),
      entry("its question, if PAM has none", PresenceText.question("")),
      entry("why the password", PresenceText.reason("a finger was added: right-thumb")),
      entry("another prompt is open", PresenceText.queued),
      entry("it is over", PresenceText.isReady),
      entry("the answer is being checked", PresenceText.checking),
      entry("an earlier password was wrong", PresenceText.wait(1, hasAnswered: false)),
      entry("the password was wrong", PresenceText.wait(4, hasAnswered: true)),
    ]
  }

  private static var agents: [String] {
    [
      entry("an agent without a desktop", DesktopAgent.notShown(.notShown)),
      entry(
        "a restricted socket that cannot be noted",
        RestrictedSocket.notNoted(SystemError("open", code: EACCES, subject: "/run/user/1000"))
      ),
      entry("a notice without a desktop", AgentNotices.notShown(.notShown)),
      entry(
        "a sign-in that does not start",
        AgentNotices.notStarted(
          SystemError("exec", code: ENOENT, subject: "/usr/bin/thumblatch-cli")
        )
      ),
      entry(
        "a sign-in that ends without a result",
        AgentSignIn.failure(in: [], .signalled(9)) ?? ""
      ),
      entry(
        "an agent that cannot watch",
        DesktopAgent.notSeen(
          SystemError("inotify_add_watch", code: ENOENT, subject: "/run/thumblatch/agents")
        )
      ),
      entry(
        "an agent that is not called",
        DesktopAgent.notNoted(in: "/run/thumblatch/agents")
      ),
      entry("a session bus that ends", SecretServiceServer.over(.gone)),
      entry("no session bus", SecretServiceServer.noBus(.noLibrary)),
      entry("another Secret Service", SecretServiceServer.isServed(by: nil)),
      entry("a client of the Secret Service", SecretCallers.requester(0)),
      entry("a client that gets nothing", SecretServiceServer.notDone(.isLocked)),
      entry("a policy without a window", VaultSecretStore.noWindow),
    ]
  }

  private static var advice: [String] {
    ScanType.allCases.flatMap { scan in
      ScanHint.allCases.map { entry("\(scan), \($0)", PresenceText.advice($0, scan)) }
        + [
          entry("\(scan), any finger", PresenceText.touch(nil, scan)),
          entry("\(scan), one finger", PresenceText.touch("right-index", scan)),
        ]
    }
  }

  private static var nextTries: [String] {
    let both: [PresenceMethod] = [.fingerprint, .password]
    func tries(
      _ method: PresenceMethod,
      _ left: [PresenceMethod]
    ) -> [String] {
      PresenceOutcome.allCases.map { outcome in
        let text = PresenceText.nextTry(after: method, outcome, "", left: left)
        return entry(
          "\(method): \(outcome), left: \(left.map(\.rawValue).joined(separator: ", "))",
          text
        )
      }
    }
    return tries(.fingerprint, both) + tries(.fingerprint, [.password])
      + tries(.key, [.password]) + tries(.password, [.password])
      + [
        entry(
          "swipe",
          PresenceText.nextTry(after: .fingerprint, .noMatch, "1 try left", left: both, .swipe)
        ),
        entry(
          "password: noMatch, of which a module of PAM says more",
          PresenceText.nextTry(
            after: .password,
            .noMatch,
            "The account is locked due to 3 failed logins.",
            left: [.password]
          )
        ),
      ]
  }
}
