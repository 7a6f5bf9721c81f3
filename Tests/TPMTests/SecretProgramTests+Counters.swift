import Glibc
import HelperInterface
import MachineKey
import System
import TPM
import TestSupport
import Testing
import Varlink

// The calls about counters.
extension SecretProgramTests {
  /// An opened key is compared with its counter: a second process would double the time of an
  /// opening.
  @Test
  func afterAnOpeningItReadsACounterAndDoesNothingElse() throws {
    let bench = try Bench()
    let sealed = try bench.seal()
    let counter = try bench.defineCounter()
    let opening = OpenSecretCall(sealed, authorization: bench.authorization)
    let reading = ReadCounterCall(
      index: Int(counter.index),
      authorization: bench.authorization,
      parentName: sealed.parentName
    )
    let program = try SecretProcess(device: bench.chip.device)
    #expect(try program.ask(opening) != nil)
    guard case .done(_, let value)? = try program.ask(reading) else {
      Issue.record("not read")
      return
    }
    #expect(UInt64(value) == counter.value)
    // It ends by itself.
    #expect(try program.reply() == nil)
    #expect(try program.end() == (.exited(0), ""))

    let increment = IncrementCounterCall(
      index: Int(counter.index),
      authorization: bench.authorization,
      parentName: nil
    )
    let other = try SecretProcess(device: bench.chip.device)
    #expect(try other.ask(opening) != nil)
    try other.send(increment)
    #expect(try other.reply() == nil)
    #expect(try other.end() == (.exited(0), ""))
    let now = try bench.tpm.readCounter(counter.index, authorization: bench.authorization)
    #expect(now == counter)
  }

  /// The successor of a killed engine reads the counter, and must not count twice.
  @Test
  func anEngineThatIsGoneGetsNoIncrement() throws {
    let bench = try Bench()
    let counter = try bench.defineCounter()
    let call = IncrementCounterCall(
      index: Int(counter.index),
      authorization: bench.authorization,
      parentName: nil
    )
    let program = try SecretProcess(device: bench.chip.device, leaving: call)
    #expect(try program.end() == (.exited(1), ""))
    let value = try bench.tpm.readCounter(counter.index, authorization: bench.authorization).value
    #expect(value == counter.value)
    // Control: an engine that waits gets it.
    guard case .done(_, let next)? = try SecretProcess(device: bench.chip.device).ask(call) else {
      Issue.record("no increment")
      return
    }
    #expect(UInt64(next) == counter.value + 1)
  }

  /// Its successor may have looked for the counter already.
  @Test
  func anEngineThatIsGoneLeavesNoCounter() throws {
    let bench = try Bench()
    try bench.chip.command("hold \(Bench.Command.defineSpace.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    let index = Int(TPMCounter.indices.lowerBound)
    try program.send(DefineCounterCall(index: index, authorization: bench.authorization))
    #expect(try bench.chip.line() == "held")
    program.leave()
    try bench.chip.command("release")
    _ = try program.end()
    #expect(try bench.commands().count { $0 == Bench.Command.undefineSpace.number } == 1)
    #expect(try bench.chip.command("left") == "nothing")
  }

  /// After its timeout, the engine reads the counter, and then increments it again.
  @Test
  func anIncrementThatStallsIsNotDoneLate() throws {
    let bench = try Bench()
    let counter = try bench.defineCounter()
    let call = IncrementCounterCall(
      index: Int(counter.index),
      authorization: bench.authorization,
      parentName: nil
    )
    try bench.chip.command("hold \(Bench.Command.createPrimary.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(call)
    #expect(try bench.chip.line() == "held")
    program.leave()
    try bench.chip.command("release")
    _ = try program.end()
    let value = try bench.tpm.readCounter(counter.index, authorization: bench.authorization).value
    #expect(value == counter.value)
    // An increment also ends before the engine's own limit of 10 seconds. A busy machine may take
    // longer, but not each time.
    var quickest = Int64.max
    for _ in 0..<3 where quickest >= 10 {
      try bench.chip.command("hold \(Bench.Command.createPrimary.rawValue)")
      let other = try SecretProcess(device: bench.chip.device)
      let start = BootInstant.now
      try other.send(call)
      #expect(try bench.chip.line() == "held")
      #expect(try other.end() == (.signalled(SIGALRM), ""))
      quickest = min(quickest, BootInstant.now.seconds(since: start))
      if quickest >= 10 { try bench.chip.command("release") }
    }
    #expect(quickest < 10)
  }

  /// The next engine may find the first value and then the last one.
  @Test
  func anEngineThatIsGoneConfirmsNoCounter() throws {
    let bench = try Bench()
    let counter = try bench.defineCounter()
    try bench.chip.command("hold \(Bench.Command.createPrimary.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(
      ConfirmCounterCall(
        index: Int(counter.index),
        authorization: bench.authorization,
        nextAuthorization: try Bench.random(),
        parentName: nil
      )
    )
    #expect(try bench.chip.line() == "held")
    program.leave()
    try bench.chip.command("release")
    _ = try program.end()
    let value = try bench.tpm.readCounter(counter.index, authorization: bench.authorization).value
    #expect(value == counter.value)
  }
}
