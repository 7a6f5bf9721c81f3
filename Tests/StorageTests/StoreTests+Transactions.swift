import Testing

@testable import Storage

/// Transactions of the store.
extension StoreTests {
  private struct Stop: Error {}

  @Test
  func aTransactionIsAllOrNothing() throws {
    #expect(throws: Stop.self) {
      try store.transaction {
        try store.insert(sampleAccount())
        try store.append(record(1))
        throw Stop()
      }
    }
    #expect(try store.allAccounts().isEmpty)
    #expect(try store.auditCount() == 0)
    let count = try store.transaction {
      try store.insert(sampleAccount())
      try store.append(record(1))
      return try store.auditCount()
    }
    #expect(count == 1)
    #expect(try store.allAccounts().count == 1)
  }

  @Test
  func aTransactionInsideAnotherIsRefusedAndTheOuterStands() throws {
    try store.transaction {
      try store.insert(sampleAccount())
      #expect(throws: StorageError.nested) { try store.transaction {} }
      #expect(throws: StorageError.busy) { try store.checkpoint() }
    }
    #expect(try store.allAccounts().count == 1)
  }

  @Test
  func afterAFailureTheNextTransactionWorks() throws {
    try store.insert(sampleAccount())
    #expect(throws: StorageError.constraint(1555)) {
      try store.transaction {
        try store.setMeta("key", to: [1])
        try store.insert(sampleAccount(name: "other"))
      }
    }
    #expect(try store.meta("key") == nil)
    try store.transaction { try store.setMeta("key", to: [2]) }
    #expect(try store.meta("key") == [2])
  }
}
