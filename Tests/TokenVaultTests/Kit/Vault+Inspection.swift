import Cryptography
import Glibc
import Presence
import PresenceTerms
import SecretMemory
import Storage
import Testing
import TokenFile

@testable import TokenVault

extension Vault {
  /// Requests a token as a caller does.
  func token(
    _ name: String? = "me",
    minimum: Int64? = nil,
    rejected: String? = nil,
    prompt: String? = nil,
    caller: Caller = caller()
  ) async throws(VaultFailure) -> AccessGrant {
    try await accessToken(
      account: name,
      minimumLifetime: minimum,
      rejected: rejected,
      prompt: prompt,
      caller: caller
    )
  }

  /// Requests a token from these connections in one step of the actor.
  ///
  /// So all of them have asked before the first one gets a result.
  func tokens(
    _ connections: ClosedRange<UInt64>,
    _ name: String = "me"
  ) -> [Task<Result<AccessGrant, VaultFailure>, Never>] {
    connections.map { connection in
      Task {
        do throws(VaultFailure) {
          return .success(try await self.token(name, caller: caller(connection)))
        } catch {
          return .failure(error)
        }
      }
    }
  }

  /// The value of the rollback counter.
  var counterValue: UInt64 { storeState.counter }

  /// Empties the log where that is not possible: inside a transaction.
  func emptyLogInTransaction() throws(VaultFailure) { try change { try emptyLog() } }

  /// Returns after everything that was begun earlier.
  func barrier() {}

  /// The state of the only account.
  func stateOfMe() throws -> AccountFacts {
    guard let facts = try accountFacts(named: "me").first else { throw PresenceFailure.cancelled }
    return facts
  }

  /// Reads the store while the vault has it open.
  func inspect<Value: Sendable>(_ body: @Sendable (Store) throws -> Value) throws -> Value {
    try body(store)
  }

  /// The row of an account.
  func row(_ name: String = "me") throws -> AccountRow {
    try #require(try store.account(named: name, owner: owner))
  }

  /// The intent of an account.
  func intent(_ name: String = "me") throws -> IntentRow? {
    try store.intent(account: try row(name).id)
  }

  /// The token that the front would find.
  func cachedToken(_ name: String = "me") throws -> String? {
    try TokenFiles.read(account: name, in: directory).map {
      String(decoding: $0.token, as: UTF8.self)
    }
  }

  /// Whether the front may give the token to each host that the user names; `nil` without a file.
  func isTokenForAnyHost(_ name: String = "me") throws -> Bool? {
    try TokenFiles.read(account: name, in: directory)?.isForAnyHost
  }

  /// The contents of an account's slot.
  func slot(_ name: String = "me") throws -> [UInt8] {
    try SlotFile(in: directory, account: try row(name).id).readWhole()
  }

  /// Events and outcomes of the audit log, oldest first, such as `login done`.
  func events() throws -> [String] {
    try auditPage(after: 0, since: nil, account: nil).map { "\($0.event) \($0.outcome)" }
  }
}

// The contents that an exchange helper would have left in the slot.
extension Vault {
  /// An answer, sealed for the intent in the store.
  func sealedAnswer(_ name: String = "me", status: Int, body: String) throws -> [UInt8] {
    let row = try row(name)
    let slot = try SlotFile(in: directory, account: row.id)
    let delivery = try delivery(try #require(try store.intent(account: row.id)), slot)
    return try SlotImage.seal(
      .answered(status: status, retryAfter: nil, body: shared(body)),
      using: try SealingKey(try delivery.key.bytes.copy()),
      context: try BoxContext(encoded: delivery.context)
    )
  }

  /// Puts bytes into the slot.
  func writeSlot(_ name: String = "me", _ image: [UInt8]) throws {
    let slot = try SlotFile(in: directory, account: try row(name).id)
    try duplicate(slot.descriptor).writeSlot(image)
  }
}
