import Storage
import Testing

/// The rows of failed tries and confirmed fingers.
@Suite
struct LockoutRowTests {
  @Test
  func rowsComeBackAsTheyWereAndEachUserHasOwnOnes() throws {
    let scratch = try Scratch()
    let store = try Store(in: try scratch.open())
    var wait = PasswordWaitRow(
      owner: 1000,
      failures: 3,
      bootID: [UInt8](repeating: 7, count: 16),
      notBefore: -1,
      waitSeconds: 8
    )
    var set = EnrolledSetRow(
      owner: 1000,
      code: [UInt8](repeating: 9, count: 32),
      source: "prints",
      fingers: "own left-thumb 00\nown right-index 01",
      confirmedAt: 1_800_000_000
    )
    for _ in 0..<2 {
      let (storedWait, storedSet) = (wait, set)
      try store.transaction {
        try store.put(storedWait)
        try store.put(storedSet)
      }
      #expect(try store.passwordWait(owner: 1000) == wait)
      #expect(try store.enrolledSet(owner: 1000) == set)
      wait.failures += 1
      wait.notBefore = .max
      set.fingers = ""
    }
    #expect(try store.passwordWait(owner: 0) == nil)
    #expect(try store.enrolledSet(owner: 0) == nil)
    try store.transaction {
      try store.deletePasswordWait(owner: 1000)
      try store.deleteEnrolledSet(owner: 1000)
    }
    #expect(try store.passwordWait(owner: 1000) == nil)
    #expect(try store.enrolledSet(owner: 1000) == nil)
  }

  @Test
  func whatTheSchemaForbidsIsNotStored() throws {
    let scratch = try Scratch()
    let store = try Store(in: try scratch.open())
    let text = String(repeating: "x", count: 4097)
    for (code, source, fingers) in [
      ([1], "names", ""), ([UInt8](repeating: 1, count: 32), "", ""),
      ([UInt8](repeating: 1, count: 32), "names", text),
    ] as [([UInt8], String, String)] {
      #expect(throws: StorageError.self) {
        try store.put(
          EnrolledSetRow(owner: 0, code: code, source: source, fingers: fingers, confirmedAt: 0)
        )
      }
    }
    #expect(throws: StorageError.self) {
      try store.put(
        PasswordWaitRow(owner: 0, failures: 1, bootID: [1], notBefore: 0, waitSeconds: 0)
      )
    }
  }
}
