import Testing

@testable import VaultServer

/// The order of turns.
struct TurnOrderTests {
  private final class Held {}

  @Test
  func whatHadItsTurnIsLetGoOfWhileOthersStillCome() {
    var order = TurnOrder<Held>()
    order.add(Held())
    for _ in 0..<1000 {
      order.add(Held())
      weak var served: Held?
      do {
        let element = order.take()
        served = element
      }
      #expect(served == nil)
      #expect(!order.isEmpty)
    }
  }

  @Test
  func eachHasItsTurnOnceInTheOrderOfTheirComing() {
    var order = TurnOrder<Int>()
    var taken: [Int] = []
    for number in 0..<1000 {
      order.add(number)
      if number % 3 == 0, let next = order.take() { taken.append(next) }
    }
    while let next = order.take() { taken.append(next) }
    #expect(taken == Array(0..<1000))
    #expect(order.isEmpty && order.take() == nil)
  }
}
