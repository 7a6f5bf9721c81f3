internal import GTK
internal import PlainText
internal import QRCode
internal import System

/// A code that the person types on another device, with its picture and its time.
@MainActor
final class CodeView {
  private let model: SignInModel
  private let code: Label
  private let page: Label
  private let picture: SquarePicture
  private let hint: Label
  private let remaining: Label
  private let cancel: Button
  /// Counts the time down while the code is shown.
  private var counting: Delay?

  init(_ builder: Builder, _ model: SignInModel) {
    self.model = model
    code = builder.object("code")
    page = builder.object("code-page")
    picture = builder.object("picture")
    hint = builder.object("picture-hint")
    remaining = builder.object("remaining")
    cancel = builder.object("code-cancel")
    let copy: Button = builder.object("code-copy")
    copy.onClick { [weak self] in
      guard let self, case .typing(let shown) = self.model.step else { return }
      code.copy(shown.page)
    }
    cancel.onClick { model.cancel() }
    track { [weak self] in self?.update() }
  }

  isolated deinit { counting?.cancel() }

  func focus() { cancel.focus() }

  private func update() {
    counting?.cancel()
    let isHidden = model.isHidden
    guard case .typing(let shown) = model.step else {
      (code.text, page.text) = ("", "")
      return picture.clear()
    }
    (code.text, page.text) = (shown.text, PlainText.line(shown.page))
    show(try? QRCode(shown.whole ?? shown.page))
    hint.text =
      shown.whole == nil
      ? tr("Or scan the picture with a phone.") : tr("Or scan the picture, and compare the code.")
    guard !isHidden else { return }
    count(until: shown.end)
  }

  private func count(until end: BootInstant) {
    let left = tell(until: end)
    guard left > 0 else { return }
    // Minutes are shown until the last one.
    let pause = left > 60 ? (left - 1) % 60 + 1 : 1
    counting = Delay(seconds: Int(pause)) { [weak self] in self?.count(until: end) }
  }

  private func show(_ qrCode: QRCode?) {
    picture.isVisible = qrCode != nil
    hint.isVisible = qrCode != nil
    guard let qrCode else { return picture.clear() }
    let border = QRCode.quietZone
    let count = qrCode.width + 2 * border
    let name = tr("QR code of the address")
    picture.show(count, scale: max(3, 240 / count), name: name) { row, column in
      qrCode.isDark(row: row - border, column: column - border)
    }
  }

  /// Shows how long the code is valid; the seconds.
  private func tell(until end: BootInstant) -> Int64 {
    let left = max(0, end.seconds(since: .now))
    let minutes = (left + 59) / 60
    remaining.text =
      left > 60
      ? ntr("Valid for %d minute", "Valid for %d minutes", Int(minutes))
      : ntr("Valid for %d second", "Valid for %d seconds", Int(left))
    return left
  }
}
