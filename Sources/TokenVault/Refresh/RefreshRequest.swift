internal import OAuth
internal import Storage

/// A refresh that a caller asks for.
struct RefreshRequest: Sendable {
  let account: AccountContext
  let asked: ScopeRequest
  /// How long the token has to live, in seconds.
  let wanted: Int64
  let authority: Authority
  let caller: Caller
  /// Why the program says that it asks, not verified.
  var reason: String?
  /// A stored access token that does not serve the caller (`TokenCall.doubted`).
  var doubted: String?
  /// The use of the one token of a provider; `nil` for a provider that gives two.
  var use: OneTokenUse?
}

/// A refresh that is about to be sent.
struct OutgoingRefresh {
  let account: AccountContext
  let asked: ScopeRequest
  /// The intent of an earlier refresh whose answer was lost; `nil` if there is none.
  let earlier: IntentRow?
  /// How presence was shown.
  let method: String?
  let caller: Caller
  /// Why the program says that it asks, not verified.
  var reason: String?
}

extension OutgoingRefresh {
  init(account: AccountContext, after earlier: IntentRow?, _ request: RefreshRequest) {
    self.init(
      account: account,
      asked: request.asked,
      earlier: earlier,
      method: request.authority.method,
      caller: request.caller,
      reason: request.reason
    )
  }
}

/// The answer to a refresh, before it is judged, and the slot that it lies in.
struct RefreshAnswer: ~Copyable {
  let intent: IntentRow
  let image: [UInt8]
  let slot: SlotFile
  let evidence: Evidence
}
