internal import GTK
internal import Observation
internal import SecretMemory
internal import VaultClient
internal import VaultInterface

/// The opening of a vault by its recovery code, if neither its TPM nor its security key opens it.
@Observable
@MainActor
final class RecoveryModel {
  /// How long the engine may take, in seconds: it may seal a slot.
  nonisolated private static let limit: Int64 = 600

  /// Whether the person types the code.
  private(set) var isTyping = false
  /// Whether the code is tried.
  private(set) var isOpening = false
  /// Why the last code did not open the vault.
  private(set) var trouble: Trouble?

  @ObservationIgnored
  private let keys: KeysModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let slots: VaultLook<DeviceSecretStatusReply>

  init(_ link: VaultLink?, of keys: KeysModel) {
    // In the service, only root may open it.
    self.link = link?.location == .privateVault ? link : nil
    self.keys = keys
    slots = VaultLook(self.link) { connection throws(VaultClientError) in
      try connection.call(DeviceSecretStatusCall())
    }
  }

  /// Whether the vault is closed, and has a recovery code.
  var isOffered: Bool {
    guard keys.vault.trouble != nil, slots.trouble == nil, let reply = slots.reply
    else { return false }
    return !reply.open && reply.slots.contains { $0.kind == .recovery }
  }

  /// Learns whether a code would open the vault.
  func look() async { await slots.again() }

  /// Shows the field for the code.
  func begin() { (isTyping, trouble) = (true, nil) }

  /// Hides it.
  ///
  /// An opening that runs goes on, because the engine may have opened the vault already.
  func cancel() { isTyping = false }

  /// Opens the vault.
  ///
  /// - Returns: whether the page of the keys shows what is left to do.
  func open(by code: SharedSecret) async -> Bool {
    guard let link, !isOpening else { return false }
    (isOpening, trouble) = (true, nil)
    var reply: RecoverWithCodeReply?
    do throws(VaultClientError) {
      reply = try await link.call(again: .never) { connection, _ throws(VaultClientError) in
        try connection.call(RecoverWithCodeCall(code: code), within: Self.limit)
      }
      isTyping = false
    } catch {
      trouble = Trouble(error)
    }
    await keys.vault.read()
    await look()
    isOpening = false
    guard let reply else { return false }
    keys.vault.news = tr("Vault opened")
    // The feed waits before its next try. The end of that wait starts it at once.
    keys.vault.following?.cancel()
    return show(reply)
  }

  private func show(_ reply: RecoverWithCodeReply) -> Bool {
    if let problem = reply.problem {
      keys.report(
        Trouble(
          Clause(
            tr(
              "Until the TPM or a security key opens the vault again, each start needs the recovery code."
            )
          ),
          advice: ErrorWords.translated(problem)
        )
      )
    } else if let problem = reply.counterProblem {
      keys.report(KeysModel.withoutCounter(problem))
    } else {
      return false
    }
    keys.vault.open(.keys)
    return true
  }
}
