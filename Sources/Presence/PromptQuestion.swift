/// What a prompt asks: whoever asks the same may share its outcome.
public struct PromptQuestion: Sendable, Equatable {
  /// The uid that asks.
  public let user: UInt32
  /// What for.
  public let purpose: PresencePurpose
  /// The account's identifier (16 bytes); nil for the vault as a whole.
  public let account: [UInt8]?
  /// The most characters that what is shown may have: nobody agrees to what is cut.
  public static let longestDetail = 2000

  /// What else the person is shown: which finger, how long a window.
  ///
  /// The check is good for nothing else.
  public let detail: String?
  /// What the check is bound to besides, where that is too long to be shown whole; nil: nothing.
  public let binding: [UInt8]?
  /// The accounts that `detail` names, where there are several: the check gives one proof for each.
  public let accounts: [[UInt8]]

  /// Puts a question together.
  public init(
    user: UInt32,
    purpose: PresencePurpose,
    account: [UInt8]?,
    detail: String? = nil,
    binding: [UInt8]? = nil,
    accounts: [[UInt8]] = []
  ) {
    self.user = user
    self.purpose = purpose
    self.account = account
    self.detail = detail
    self.binding = binding
    self.accounts = accounts
  }
}
