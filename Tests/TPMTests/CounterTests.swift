import HelperInterface
import MachineKey
import System
import TPM
import TestSupport
import Testing

struct CounterTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func define() throws -> TPMCounter {
    try bench.defineCounter()
  }

  private func read(_ index: UInt32) throws(TPMFailure) -> UInt64 {
    try bench.tpm.readCounter(index, authorization: bench.authorization).value
  }

  private func increment(_ index: UInt32) throws(TPMFailure) -> UInt64 {
    try bench.tpm.incrementCounter(index, authorization: bench.authorization).value
  }

  @Test
  func itCountsUpAndSurvivesAPowerFailure() throws {
    let counter = try define()
    #expect((0x0180_0000...0x01bf_ffff).contains(counter.index))
    #expect(try read(counter.index) == counter.value)
    for step in 1...5 { #expect(try increment(counter.index) == counter.value + UInt64(step)) }
    try bench.chip.command("reset")
    #expect(try read(counter.index) == counter.value + 5)
    #expect(try bench.chip.command("left") == "nothing")
  }

  @Test
  func aNewOneGoesOnAboveThoseThatWereRemoved() throws {
    let first = try define()
    let last = try increment(first.index)
    try bench.removeCounter(first.index)
    let second = try define()
    #expect(second.value > last)
    // So does one after the TPM was cleared, which removes all.
    try bench.chip.run("tpm2_clear")
    #expect(try bench.failure { () throws(TPMFailure) in try read(second.index) } == .noCounter)
    #expect(try define().value > second.value)
  }

  @Test
  func withoutACounterThereIsNothingToRead() throws {
    let counter = try define()
    try bench.removeCounter(counter.index)
    // As often as one likes.
    try bench.removeCounter(counter.index)
    for index in [counter.index, 0, 0x01c0_0002, 0x8100_0001, .max] {
      #expect(try bench.failure { () throws(TPMFailure) in try read(index) } == .noCounter)
      #expect(try bench.failure { () throws(TPMFailure) in try increment(index) } == .noCounter)
    }
  }

  @Test
  func anotherAuthorizationNeitherReadsNorIncrements() throws {
    let counter = try define()
    let other = try Bench.random()
    let reading = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.readCounter(counter.index, authorization: other)
    }
    let incrementing = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.incrementCounter(counter.index, authorization: other)
    }
    #expect(reading == .wrongAuthorization && incrementing == .wrongAuthorization)
    #expect(try read(counter.index) == counter.value)
  }

  /// A copy of a directory has an earlier value, and must not remove the counter in use.
  @Test
  func onlyTheAuthorizationThatItHasNowConfirmsAndRemovesACounter() throws {
    let (first, next) = (bench.authorization, try Bench.random())
    let counter = try define()
    let wrong = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.confirmCounter(counter.index, authorization: next, next: next)
    }
    #expect(wrong == .wrongAuthorization)
    let confirmed = try bench.tpm.confirmCounter(counter.index, authorization: first, next: next)
    #expect(confirmed == counter)
    for _ in 0..<2 {
      let again = try bench.failure { () throws(TPMFailure) in
        try bench.tpm.confirmCounter(counter.index, authorization: first, next: next)
      }
      let removing = try bench.failure { () throws(TPMFailure) in
        try bench.removeCounter(counter.index)
      }
      #expect(again == .wrongAuthorization && removing == .wrongAuthorization)
      try bench.chip.command("reset")
    }
    let value = try bench.tpm.incrementCounter(counter.index, authorization: next).value
    #expect(value == counter.value + 1)
    try bench.tpm.removeCounter(counter.index, authorization: next)
    #expect(try bench.chip.command("indices") == "nothing")
    #expect(try bench.chip.command("left") == "nothing")
  }

  /// A kill may come between the definition and the first increment.
  @Test
  func aCounterWithoutAValueIsRemoved() throws {
    try bench.chip.command("hold \(Bench.Command.increment.rawValue)")
    let index = TPMCounter.indices.lowerBound
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(DefineCounterCall(index: Int(index), authorization: bench.authorization))
    #expect(try bench.chip.line() == "held")
    program.child.kill()
    _ = try program.end()
    // The command is dropped.
    try bench.chip.command("left")
    #expect(try bench.chip.command("indices") != "nothing")
    let other = try Bench.random()
    let refused = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.removeCounter(index, authorization: other)
    }
    #expect(refused == .wrongAuthorization)
    try bench.removeCounter(index)
    #expect(try bench.chip.command("indices") == "nothing")
  }

  /// An index of another program is neither read nor removed, even in the range of counters.
  @Test
  func anIndexOfAnotherKindIsLeft() throws {
    let index = "0x01900000"
    try bench.chip.run("tpm2_nvdefine", index, "--size=8", "--attributes=ownerread|ownerwrite")
    #expect(try bench.failure { () throws(TPMFailure) in try read(0x0190_0000) } == .noCounter)
    try bench.removeCounter(0x0190_0000)
    try bench.chip.run("tpm2_nvundefine", index)
  }

  /// Another program has removed the counter, and has defined one at its index.
  @Test
  func aCounterWithoutAPolicyIsNotConfirmed() throws {
    let index = "0x01900000"
    let attributes = "--attributes=authread|authwrite|no_da|nt=1"
    try bench.chip.run("tpm2_nvdefine", index, "--size=8", attributes, "--index-auth=other")
    try bench.chip.run("tpm2_nvincrement", index, "--auth=other")
    let reading = try bench.failure { () throws(TPMFailure) in try read(0x0190_0000) }
    #expect(reading == .wrongAuthorization)
    let (first, next) = (bench.authorization, try Bench.random())
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.confirmCounter(0x0190_0000, authorization: first, next: next)
    }
    #expect(failure == .damaged)
    try bench.chip.run("tpm2_nvundefine", index)
  }

  @Test(arguments: [
    Bench.Command.createPrimary, .startSession, .readPublicOfIndex, .increment, .read,
  ])
  func anErrorOfAnyStepLeavesNothingLoaded(_ command: Bench.Command) throws {
    let counter = try define()
    try bench.chip.command("fail 101 1 \(command.rawValue)")
    let failure = try bench.failure { () throws(TPMFailure) in try increment(counter.index) }
    #expect(failure == .unexpected("0x00000101"))
  }

  @Test
  func aNewCounterLeavesNoIndexAfterAnError() throws {
    for command in [Bench.Command.defineSpace, .increment, .read] {
      try bench.chip.command("fail 101 1 \(command.rawValue)")
      let failure = try bench.failure { () throws(TPMFailure) in
        try bench.defineCounter()
      }
      #expect(failure == .unexpected("0x00000101"))
    }
    // The TPM says which indices there are.
    let made = try bench.commands().count { $0 == Bench.Command.defineSpace.number }
    let removed = try bench.commands().count { $0 == Bench.Command.undefineSpace.number }
    #expect(made == 3 && removed == 2)
  }

  @Test
  func aTPMWithoutRoomSaysSo() throws {
    // TPM_RC_NV_SPACE.
    try bench.chip.command("fail 14b 1 \(Bench.Command.defineSpace.rawValue)")
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.defineCounter()
    }
    #expect(failure == .noRoom)
  }

  @Test
  func aTakenIndexStaysWithItsCounter() throws {
    let counter = try define()
    let other = try Bench.random()
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.defineCounter(counter.index, authorization: other)
    }
    #expect(failure == .indexTaken)
    #expect(try read(counter.index) == counter.value)
    for index in [0, 0x017f_ffff, 0x01c0_0000, UInt32.max] {
      let failure = try bench.failure { () throws(TPMFailure) in
        try bench.tpm.defineCounter(index, authorization: other)
      }
      #expect(failure == .noCounter, "\(index)")
    }
  }
}
