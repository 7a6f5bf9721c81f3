internal import Doctor
internal import GTK

/// What the button of a finding does.
enum FindingRemedy: Equatable {
  /// An act of the doctor that the app can do itself.
  case act(FindingAction)
  case lock
  /// Opens the vault by a touch of its security key.
  case touch
  /// Opens the vault by its recovery code.
  case recover
  /// Accepts a vault that was restored from a copy.
  case accept
  /// Opens the page of the keys and the backup.
  case keys
  /// Opens the audit log.
  case activity
  /// Copies the command, which the app has no button for.
  case copy(String)

  /// The words on its button.
  var label: String {
    switch self {
    case .act(.setMode): tr("Mend")
    case .act(.signIn): tr("Sign In…")
    case .act(.protect): tr("Protect…")
    case .act(.run), .copy: tr("Copy")
    case .lock: tr("Lock Now")
    case .touch: tr("Open with Security Key")
    case .recover: tr("Open with Recovery Code…")
    case .accept: tr("Accept…")
    case .keys: tr("Open Keys and Backup")
    case .activity: tr("Open Activity")
    }
  }
}

extension HealthModel {
  /// The end of the remedy that accepts a vault.
  ///
  /// For a store that was lost, the same command begins an empty vault. That has no button.
  // Not translated: the engine sends it.
  private static let acceptance = "accept it: thumblatch recover"

  /// What the person can do about a finding.
  ///
  /// `nil` if the finding has neither an action nor a command.
  func remedy(of finding: Finding) -> FindingRemedy? {
    switch finding.action {
    case .setMode, .protect, .signIn: return finding.action.map(FindingRemedy.act)
    case .run, nil: break
    }
    guard let command = finding.command else { return nil }
    let words = command.split(separator: " ").map(String.init)
    guard words.count > 1, words[0] == "thumblatch" else { return .copy(command) }
    return switch words[1] {
    case "lock": .lock
    case "status" where vault.needsKey: .touch
    case "recover" where recovery.isOffered && words.contains("--code"): .recover
    case "recover" where finding.remedy?.hasSuffix(Self.acceptance) == true: .accept
    case "backup": .keys
    // In the service, only root changes the slots.
    case "device-secret" where isPrivate && words.contains("add"): .keys
    case "audit" where words.contains("verify"): .activity
    default: .copy(command)
    }
  }
}
