internal import GTK
internal import VaultInterface

/// The question after a sign-in whether the account is protected.
@MainActor
final class ProtectionView {
  private let model: SignInModel
  private let title: Label
  private let trouble: Label
  private let protected: Switch
  private let reader: Row
  private let enrolled: Row
  private let enroll: Button
  private let done: Button
  /// Whether the view sets the switch, and not the person.
  private var isSetting = false
  /// The question whose account was there when the view looked last.
  private var asked: ProtectionModel?

  init(_ builder: Builder, _ model: SignInModel) {
    self.model = model
    title = builder.object("protect-title")
    trouble = builder.object("protect-trouble")
    protected = builder.object("protect-switch")
    reader = builder.object("protect-reader")
    enrolled = builder.object("protect-enrolled")
    enroll = builder.object("protect-enroll")
    done = builder.object("protect-done")
    protected.onTurn { [weak self] in self?.turn() }
    enroll.onClick { [weak self] in self?.protection?.enrollFinger() }
    done.onClick { [weak self] in
      guard let protection = self?.protection else { return }
      protection.finish()
    }
    track { [weak self] in self?.update() }
    track { [weak self] in self?.leaveIfGone() }
  }

  private var protection: ProtectionModel? {
    if case .protecting(let protection) = model.step { protection } else { nil }
  }

  func focus() { protected.focus() }

  private func turn() {
    guard !isSetting, let protection else { return }
    let isOn = protected.isOn
    Task { [weak self] in
      await protection.protect(isOn)
      // The switch shows the vault's answer, also if it is no.
      self?.update()
    }
  }

  /// Ends the question when its account goes.
  ///
  /// A question that has ended before may be about an account that is long gone.
  private func leaveIfGone() {
    guard let protection else { return }
    guard protection.isGone else {
      asked = protection
      return
    }
    guard asked === protection else { return }
    asked = nil
    protection.finish()
  }

  private func update() {
    guard let protection else { return }
    title.text = tr("Protect “%s”?", AccountWords(account: protection.item.account).name)
    trouble.show(orHide: protection.item.trouble?.text)
    reader.subtitle = protection.reader ?? tr("Looking…")
    enrolled.subtitle = protection.enrolled ?? tr("Looking…")
    enroll.isVisible = protection.lacksFinger
    isSetting = true
    protected.isOn = protection.item.account.presenceProtection
    isSetting = false
  }
}
