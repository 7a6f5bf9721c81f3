internal import Doctor
internal import GTK
internal import System
internal import VaultClient
internal import VaultInterface

// What the person does about a finding.
extension HealthModel {
  /// How long the engine may take, in seconds: it empties the slot of each account.
  nonisolated private static let acceptanceLimit: Int64 = 150

  /// Accepts a vault that was restored from a copy.
  func accept() async {
    guard let link else { return }
    var failure: Trouble?
    do throws(VaultClientError) {
      _ = try await link.call(again: .untilPrompted) {
        connection,
        prompt throws(VaultClientError) in
        try connection.call(
          RecoverCall(prompt: prompt, ask: true),
          within: Self.acceptanceLimit
        )
      }
      vault.news = tr("Vault accepted")
    } catch {
      failure = Trouble(error)
    }
    await vault.read()
    // The feed waits before its next try. The end of that wait starts it at once.
    vault.following?.cancel()
    await look()
    if let failure { trouble = failure }
  }

  /// Does what a finding wants, where no other page does it.
  func mend(_ finding: Finding) async {
    switch finding.action {
    case .setMode(let mode, let path): await setMode(mode, path)
    case .protect(let account):
      // It may have been renamed or removed since the last look.
      guard let item = vault.items.first(where: { $0.name == account }) else {
        return await look()
      }
      await vault.protect(item, true)
      await look()
      if let failure = item.trouble { trouble = failure }
    case .signIn, .run, nil: break
    }
  }

  private func setMode(_ mode: UInt32, _ path: String) async {
    do throws(SystemError) {
      try FindingAction.set(mode: mode, of: path)
      vault.news = tr("Permissions mended")
      await look()
    } catch {
      trouble = Trouble(
        "\(error)",
        advice: error.isForbidden
          ? tr("the owner of the file can do it, or root") : tr("correct that, then try again")
      )
    }
  }
}
