import Synchronization
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import VaultServer

@Suite
struct DecoderTests {
  /// The results of decoding, in order.
  private final class Results: Sendable {
    private let tokens = Mutex<[(UInt64, Bool)]>([])

    func add(_ token: UInt64, _ isCall: Bool) { tokens.withLock { $0.append((token, isCall)) } }
    var all: [UInt64] { tokens.withLock { $0.map(\.0) } }
    var calls: [UInt64] { tokens.withLock { $0.filter(\.1).map(\.0) } }
  }

  private func message(_ text: String) -> ReceivedMessage {
    var text = text
    return text.withUTF8 {
      unsafe ReceivedMessage(copying: UnsafeRawBufferPointer($0), on: .vault)
    }
  }

  private static let long =
    #"{"method":"io.thumblatch.Vault.GetStatus","parameters":{"x":["#
    + [String](repeating: "0", count: 30_000).joined(separator: ",") + "]}}"
  private static let short = #"{"method":"io.thumblatch.Vault.GetStatus"}"#

  @Test
  func whatMakesNoSenseIsTold() {
    let results = Results()
    let decoder = Decoder { token, decoded in
      if case .success = decoded { results.add(token, true) } else { results.add(token, false) }
    }
    for (token, text) in [Self.short, "{", "", #"{"method":"a.B"}"#, Self.long].enumerated() {
      decoder.add(message(text), of: UInt64(token), .person(1))
    }
    #expect(eventually { results.all.count == 5 })
    #expect(results.all == [0, 1, 2, 3, 4] && results.calls == [0, 3, 4])
  }

  /// The first message holds the thread until all others wait.
  @Test
  func aPartyIsChargedForWhatItsMessagesTake() throws {
    let results = Results()
    let begun = try WakeEvent()
    let goOn = try WakeEvent()
    let decoder = Decoder { token, _ in
      results.add(token, true)
      guard token == 0 else { return }
      begun.signal()
      _ = try? goOn.descriptor.waitReadable(milliseconds: 60_000)
    }
    decoder.add(message(Self.short), of: 0, .strangers)
    #expect(try begun.descriptor.waitReadable(milliseconds: 60_000))
    for token in UInt64(1)...20 { decoder.add(message(Self.long), of: token, .person(1)) }
    for token in UInt64(101)...103 { decoder.add(message(Self.short), of: token, .person(2)) }
    decoder.add(message(Self.long), of: 201, .person(3))
    decoder.drop(20, of: .person(1))
    decoder.drop(99, of: .person(1))
    decoder.drop(1, of: .person(9))
    goOn.signal()
    #expect(eventually { results.all.count == 24 })
    let order = results.all
    #expect(!order.contains(20))
    // One long message costs more than three short ones, and more than none.
    for token in [101, 102, 103, 201] as [UInt64] {
      #expect(try #require(order.firstIndex(of: token)) <= 6, "\(order)")
    }
  }
}
