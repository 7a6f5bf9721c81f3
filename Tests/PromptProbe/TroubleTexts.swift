import BackupClient
import BackupFormat
import Configuration
import LoopbackLogin
import PresenceTerms
import SecretMemory
import VaultClient
import VaultInterface

@testable import DesktopApp

/// The reasons why something did not work that the app gives, each with what to do about it.
///
/// What comes from other rooms in them is x7.
@MainActor
enum TroubleTexts {
  /// The errors of the vault.
  static let errors: [(String, VaultError)] =
    PresenceOutcome.allCases.map { outcome in
      ("presence \(outcome.rawValue)", .presenceFailed(outcome, message: "x7", methods: []))
    }
    + (UnavailableReason.allCases.map(Optional.some) + [nil]).flatMap { reason in
      [nil, 1, 7].map { seconds in
        (
          "unavailable \(reason?.rawValue ?? "-") \(seconds ?? 0)",
          .providerUnavailable(message: "x7", retryAfter: seconds, reason: reason)
        )
      }
    } + others

  private static let others: [(String, VaultError)] = [
    ("busy", .busy(message: "x7")), ("busy 1", .busy(message: "x7", retryAfter: 1)),
    ("busy 7", .busy(message: "x7", retryAfter: 7)), ("account", .noSuchAccount(account: "m7")),
    ("finger", .noSuchFinger(finger: "m7")), ("key", .noSuchKey(key: "m7")),
    ("user", .noSuchUser(user: "u7")), ("login", .loginRequired(account: "m7", message: "")),
    ("login why", .loginRequired(account: "m7", message: "x7")),
    ("refused by provider", .providerRefused(status: 400, message: "x7")),
    ("machine key", .machineKeyNeeded(message: "x7")), ("unsafe", .vaultUnsafe(message: "x7")),
    ("unsafe hint", .vaultUnsafe(message: "x7", hint: "y7")),
    ("internal", .internal(message: "x7")),
    ("pin", .keyPINNeeded(message: "x7")), ("desktop", .noDesktop(message: "x7")),
    ("argument", .invalidArgument(message: "x7")), ("settings", .misconfigured(message: "x7")),
    ("refused", .refused(message: "x7")),
    ("command", .refused(message: "x7: thumblatch x7")),
    ("restore damaged", .invalidArgument(message: "the backup is damaged; nothing was changed")),
    (
      "restore refused",
      .invalidArgument(
        message: "this passphrase does not open the backup, or the backup is damaged"
      )
    ), ("backup refused", .refused(message: "the backup would have more than 7 MiB")),
  ]

  /// The same of the app itself.
  static func others() async -> [(String, Trouble?)] {
    let vault = VaultModel(nil)
    let start = AutostartModel(nil, changes: CallQueue())
    await start.set(true)
    let privacy = PrivacyModel(of: vault, nil, changes: CallQueue())
    await privacy.set(.hidesLocked, true)
    let flaw = ConfigurationError(.missingKey, key: "x7")
    return [
      ("file", .unusableFile), ("memory", Trouble(SecretMemoryError.tooLong(7))),
      ("restore unclear", RestoreModel.trouble(.unclear)),
      ("restore provider", RestoreModel.trouble(.provider(flaw))),
      ("restore passphrase", RestoreModel.trouble(.passphrase(.unexpected("x7")))),
      ("restore cancelled", RestoreModel.trouble(.vault(.interrupted))),
      ("restore version", RestoreModel.trouble(.noBackup(.unknownVersion(7)))),
      ("restore no backup", RestoreModel.trouble(.noBackup(.noBackup))),
      ("restore file", RestoreModel.trouble(.file(.tooLarge(path: "/b7")))),
      ("backup file", BackupModel.trouble(.file(.exists(path: "b7")))),
      ("backup memory", BackupModel.trouble(.passphrase(.noMemory(kibibytes: 7168)))),
      ("backup passphrase", BackupModel.trouble(.passphrase(.unexpected("x7")))),
      ("finger left", FingersModel.leftOnReader("x7")),
      ("counter", KeysModel.withoutCounter("x7")), ("too late", SignInRun.tooLate),
      ("replaced", SignInModel.unended(account(replacedFor: nil))),
      ("replaced why", SignInModel.unended(account(replacedFor: "x7"))),
      ("no place", start.trouble), ("no place 2", privacy.trouble),
    ]
      + RedirectStray.allCases.map { ("stray \($0)", Trouble(SignInRun.reason($0))) }
      + settings.map { ("settings \($0)", Trouble($1)) }
  }

  private static func account(replacedFor reason: String?) -> VaultAccount {
    VaultAccount(
      name: "m7",
      provider: "d7",
      kind: "oidc",
      issuer: "https://d7",
      presenceProtection: false,
      state: .ready,
      isDefault: false,
      replacedRevoked: false,
      replacedReason: reason
    )
  }

  /// Why a settings file is not read or written.
  private static var settings: [(String, String)] {
    let texts: [(String, [UInt8])] = [
      ("bytes", [0xFF]), ("line", Array("[Desktop]\nx7".utf8)),
      ("value", Array("[Desktop]\nhide-when-locked = x7".utf8)),
      ("twice", Array("[Desktop]\nhide-when-locked = no\nhide-when-locked = no".utf8)),
    ]
    var found: [(String, String)] = []
    for (name, bytes) in texts {
      do throws(AppSettingsError) { _ = try AppSettingsText(bytes) } catch {
        found.append((name, error.message))
      }
    }
    // The directory of the configuration is a device here.
    if let file = AppSettingsFile() {
      do throws(AppSettingsError) { _ = try file.read() } catch {
        found.append(("read", error.message))
      }
      do throws(AppSettingsError) { _ = try file.set(.hidesLocked, true) } catch {
        found.append(("write", error.message))
      }
    }
    return found
  }

  /// Findings that begin with a name, and one that begins with a word in place of it.
  static let findings = [
    "m7 is insecure: plain http on this machine", "/s7 is a symbolic link",
    "t7: has mode 0644, which lets others in", "v7.db is not a regular file",
    "no more files can be created: nothing can be refreshed",
  ]
  /// What to do about findings: a command, and a clause before a command.
  static let remedies = [
    "systemctl restart t7; the next call starts the new engine",
    "restore it from a copy; or: thumblatch account remove m7 --local, then sign in again",
  ]
  /// Errors of other rooms.
  static let errorsInEnglish = [
    "d7.provider is larger than 7 bytes", "d7.provider:7: d7: unknown key",
    "the store failed (SQLite result 11); nothing was changed",
    "v7.db is missing; nothing was changed", "a text that is not known here; nothing was changed",
  ]

  /// What a check of the audit log says.
  static let verdicts: [(String, VerifyAuditReply)] =
    [
      "altered", "dropped", "reordered", "truncated", "duplicated", "added", "head", "checkpoint",
      "other",
    ].map {
      ($0, VerifyAuditReply(whole: false, records: 9, first: 1, last: 9, bad: 7, problem: $0))
    }
    + [0, 1, 7].map {
      ("whole \($0)", VerifyAuditReply(whole: true, records: $0, first: 0, last: $0))
    }

  /// A restore that could not write the file of a provider.
  static var restored: RestoreRun.Outcome {
    var outcome = RestoreRun.Outcome([])
    outcome.missing = [("d7", "x7")]
    return outcome
  }
}
