internal import Doctor
internal import GTK
internal import System

// What the person does about a finding.
extension HealthModel {
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
