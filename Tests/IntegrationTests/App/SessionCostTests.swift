import TestSupport
import Testing

/// The cost of a valid token for the app that requests it.
struct SessionCostTests {
  @Test
  func aTokenInMemoryCostsNoSystemCallAndNoAllocation() throws {
    let directory = try makeTemporaryDirectory()
    defer { _ = try? shell("rm -rf \(directory)") }
    let few = try cost(of: 1_000, in: directory)
    let many = try cost(of: 1_000_000, in: directory)
    // The cost of the start and end of a process varies a little from run to run.
    #expect(abs(many.systemCalls - few.systemCalls) < 1_000, "\(few), \(many)")
    #expect(abs(many.allocations - few.allocations) < 1_000, "\(few), \(many)")
    #expect(few.systemCalls > 10 && few.allocations > 10)
  }

  private typealias Cost = (systemCalls: Int, allocations: Int)

  private func cost(of calls: Int, in directory: String) throws -> Cost {
    let counter = try ScratchModule.makeAllocationCounter(in: directory)
    let trace = directory + "/trace"
    let text = try shell(
      """
      strace -f -o \(trace) -E LD_PRELOAD=\(counter) \
        \(BuiltPrograms.path("SessionSpeed")) calls \(calls) 2>&1
      """
    )
    let words = text.split { $0.isWhitespace }
    let place = try #require(words.firstIndex(of: "allocations"), "\(text)")
    #expect(words.contains("\(calls * 4)"), "each brings the four letters of the token")
    let lines = try shell("wc -l <\(trace)").filter { $0.isNumber }
    return (try #require(Int(lines)), try #require(Int(words[place + 1])))
  }
}
