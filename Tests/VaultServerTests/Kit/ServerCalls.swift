import TestSupport
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

extension ParsedCall {
  /// Parses a call as it comes over the socket.
  init(text: some StringProtocol) throws {
    self = try unsafe Array(text.utf8).withUnsafeBytes { bytes in
      ParsedCall(unsafe try VarlinkCall(decoding: bytes, on: .vault))
    }
  }
}

extension Vaults {
  /// Vaults of a service that cannot be opened, for calls that need none.
  static func closed(under rules: any MachineRules = NoRules()) -> Vaults {
    Vaults(
      opening: { _, _ in throw VaultFailure.unexpected("a vault is asked") },
      name: { _ in "ada" },
      rules: rules
    )
  }

  /// The error that answers a call of a user; `nil` if the call succeeds.
  func error(of call: ParsedCall, _ recognition: Recognition) async throws -> VaultError? {
    let answer = await answer(
      call,
      from: Caller(connection: 1, user: 1000, requester: "a test"),
      recognition,
      reply: { _ in },
      whenSent: { true }
    )
    return try VaultError(decoding: answer.reply)
  }
}
