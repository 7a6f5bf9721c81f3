internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `BeginLogin`, `FinishLogin`, `AwaitLogin`, `CancelLogin`, `TestProvider`.
  func logins(
    _ request: VaultRequest,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    throw .unexpected("logins at a provider's own page are not there yet")
  }
}
