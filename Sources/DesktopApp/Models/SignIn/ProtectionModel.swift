internal import GTK
internal import Observation
internal import PlainText
internal import PresenceTerms
internal import VaultClient
internal import VaultInterface

/// The question after a sign-in whether the account is protected, and what a check would take.
@Observable
@MainActor
final class ProtectionModel {
  let item: AccountItem
  /// Which reader there is, or why none can be used.
  private(set) var reader: String?
  /// Which fingers and keys pass a check, besides the system password.
  private(set) var enrolled: String?
  /// Whether there is a reader, and no enrolled finger.
  private(set) var lacksFinger = false

  @ObservationIgnored
  private let link: VaultLink
  @ObservationIgnored
  private let vault: VaultModel

  init(_ item: AccountItem, _ link: VaultLink, _ vault: VaultModel) {
    (self.item, self.link, self.vault) = (item, link, vault)
  }

  /// Asks the engine what a check would take.
  func read() async {
    do throws(VaultClientError) {
      let (found, status) = try await link.call { connection, _ throws(VaultClientError) in
        (try connection.call(GetReaderCall()).reader, try connection.call(GetStatusCall()))
      }
      reader = Self.text(found)
      let fingers = status.enrolledFingers + (status.desktopFingers ?? [])
      enrolled = Self.text(fingers, keys: status.enrolledKeys ?? [])
      lacksFinger = found.available && fingers.isEmpty
    } catch {
      reader = Trouble(error)?.text
    }
  }

  static func text(_ reader: VaultReader) -> String {
    guard reader.available else {
      let why = reader.reason.map { Trouble(FindingWords.translated($0)).text } ?? ""
      return [tr("No reader can be used."), why].filter { !$0.isEmpty }.joined(separator: " ")
    }
    return PlainText.line(reader.name ?? tr("A reader is there."))
  }

  private static func text(_ fingers: [String], keys: [String]) -> String {
    let things = fingers.map(FingerWords.words) + keys.map { tr("security key %s", $0) }
    return things.isEmpty
      ? tr("Your system password.")
      : tr("%s, and your system password", PlainText.line(things.joined(separator: ", ")))
  }

  /// Whether the vault no longer has the account.
  var isGone: Bool { !vault.holds(item) }

  /// Turns the protection on or off, after a presence check.
  func protect(_ isOn: Bool) async { await vault.protect(item, isOn) }

  /// Shows the page that enrolls fingers.
  func enrollFinger() { vault.open(.fingers) }

  /// Shows the account, or the list if it is gone.
  func finish() { vault.select(item) }
}
