import Testing

@testable import VaultServer

/// Users that wait for the same resource get it in turn.
@Suite
struct FairQueueTests {
  @Test
  func aGreedyUserDelaysNoOther() {
    var queue = FairQueue<Int>()
    for number in 1...4 { queue.add(number, of: 1) }
    queue.add(10, of: 2)
    queue.add(20, of: 3)
    queue.add(21, of: 3)
    #expect(queue.count(of: 1) == 4 && queue.count(of: 4) == 0 && queue.all.count == 7)
    var order: [Int] = []
    while let next = queue.next({ _ in true }) { order.append(next) }
    #expect(order == [1, 10, 20, 2, 21, 3, 4])
  }

  @Test
  func aCancelledRequestTakesNoTurn() {
    var queue = FairQueue<Int>()
    for number in 1...3 { queue.add(number, of: 1) }
    queue.add(10, of: 2)
    #expect(queue.next { $0 > 2 } == 3)
    #expect(queue.next { $0 > 10 } == nil)
    #expect(queue.all.isEmpty)
    queue.add(11, of: 2)
    #expect(queue.next { _ in true } == 11)
  }
}
