internal import GTK
internal import Observation
internal import VaultClient
internal import VaultInterface

/// The settings of the vault on the screen.
@Observable
@MainActor
final class SettingsModel {
  /// The rules, as the vault told of them last; `nil` before the first look.
  var policy: GetPolicyReply? { seen.reply }
  /// Why the person's last act did not work, or else the last look.
  var trouble: Trouble? { actTrouble ?? seen.trouble }
  private var actTrouble: Trouble?

  let vault: VaultModel
  let privacy: PrivacyModel
  let autostart: AutostartModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let seen: VaultLook<GetPolicyReply>
  @ObservationIgnored
  private let calls = CallQueue()
  @ObservationIgnored
  private let fileChanges = CallQueue()

  init(_ link: VaultLink?, of vault: VaultModel, startedBy entry: Autostart?) {
    (self.link, self.vault) = (link, vault)
    seen = VaultLook(link) { connection throws(VaultClientError) in
      try connection.call(GetPolicyCall())
    }
    autostart = AutostartModel(entry, changes: fileChanges)
    privacy = PrivacyModel(of: vault, changes: fileChanges)
  }

  /// Waits for the changes of files that are under way.
  func finish() async { await fileChanges.run {} }

  /// Reads the rules again.
  func look() async { await seen.again() }

  /// Sets a rule of the person's own, or removes it if the value is `nil`, after a check by the
  /// system password.
  func set(_ key: String, to value: String?) async {
    await change(tr("Rule changed")) { connection, prompt throws(VaultClientError) in
      _ = try connection.call(SetPolicyCall(key: key, value: value, prompt: prompt, ask: true))
    }
  }

  /// Makes an account the one that is meant where none is named.
  func makeDefault(_ account: String) async {
    await change(tr("Default account changed")) { connection, prompt throws(VaultClientError) in
      _ = try connection.call(SetDefaultAccountCall(account: account, prompt: prompt, ask: true))
    }
  }

  private func change(
    _ news: String,
    _ body: @escaping @Sendable (Connection, String?) throws(VaultClientError) -> Void
  ) async {
    actTrouble = nil
    await calls.run(at: vault) { await changeNow(news, body) }
  }

  private func changeNow(
    _ news: String,
    _ body: @escaping @Sendable (Connection, String?) throws(VaultClientError) -> Void
  ) async {
    guard let link else { return }
    do throws(VaultClientError) {
      try await link.call(again: .untilPrompted, body)
      vault.news = news
    } catch {
      actTrouble = Trouble(error)
    }
    await look()
    await vault.read()
  }
}
