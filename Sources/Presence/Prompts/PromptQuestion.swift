package import PresenceTerms

/// The question of a prompt; equal questions may share an outcome.
package struct PromptQuestion: Sendable, Equatable {
  /// The user id of the caller.
  package let user: UInt32
  /// The purpose of the check.
  package let purpose: PresencePurpose
  /// The account's identifier (16 bytes); `nil` for the whole vault.
  package let account: [UInt8]?
  /// The most characters of the detail: a truncated question must not be approved.
  package static let longestDetail = 2000

  /// Further text for the person: the finger, or the length of a window.
  ///
  /// The check is valid for nothing else.
  package let detail: String?
  /// Data that the check is bound to and that is too long to show; `nil` if there is none.
  package let binding: [UInt8]?
  /// The accounts that `detail` names, if several; the check gives one proof for each.
  package let accounts: [[UInt8]]
  /// Why the program says that it asks, not verified; `nil` if it does not say.
  package let statedReason: String?
  /// The only connection that the answer is for; `nil` if others may share it.
  package let connection: UInt64?
  /// The title of the restricted socket that asks; `nil` if none does.
  package let socket: String?

  /// Makes a question of its parts.
  package init(
    user: UInt32,
    purpose: PresencePurpose,
    account: [UInt8]?,
    detail: String? = nil,
    binding: [UInt8]? = nil,
    accounts: [[UInt8]] = [],
    statedReason: String? = nil,
    connection: UInt64? = nil,
    socket: String? = nil
  ) {
    self.user = user
    self.purpose = purpose
    self.account = account
    self.detail = detail
    self.binding = binding
    self.accounts = accounts
    self.statedReason = statedReason
    self.connection = connection
    self.socket = socket
  }
}
