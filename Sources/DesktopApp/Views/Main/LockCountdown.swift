internal import GTK
internal import System

/// Says in minutes when the vault locks by itself.
@MainActor
final class LockCountdown {
  private let title: PageTitle
  private let model: VaultModel
  private var counting: Delay?

  /// Says it below a title.
  init(below title: PageTitle, _ model: VaultModel) {
    (self.title, self.model) = (title, model)
    track { [weak self] in self?.count() }
  }

  isolated deinit { counting?.cancel() }

  private func count() {
    counting?.cancel()
    counting = nil
    let left = model.unlockEnd?.seconds(since: .now) ?? 0
    guard left > 0 else {
      title.subtitle = ""
      return
    }
    title.subtitle = ntr("Locks in %d minute", "Locks in %d minutes", Int((left + 59) / 60))
    counting = Delay(seconds: Int((left - 1) % 60 + 1)) { [weak self] in self?.count() }
  }
}
