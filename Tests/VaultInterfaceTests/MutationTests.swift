import HelperInterface
import JSON
import SecretMemory
import Testing
import Varlink
import VaultInterface

@Suite
struct MutationTests {
  /// Messages with changed, cut and doubled bytes are read or refused.
  @Test(arguments: samples.indices)
  func noMessageIsASurprise(_ index: Int) throws {
    let sample = samples[index]
    let whole = try sample.message(sample.parameters)
    let bytes = unsafe whole.withUnsafeBytes { unsafe Array($0) }
    var state = UInt64(index) &+ 0x7468_756D
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    let hostile = Array("{}[]\",:\\u0d8e-.9t\u{0}".utf8) + [0xFF, 0xC3]
    for _ in 0..<400 {
      var text = bytes
      for _ in 0...random(3) {
        let place = random(text.count)
        switch random(4) {
        case 0: text[place] = hostile[random(hostile.count)]
        case 1: text[place] ^= 1 << UInt8(random(8))
        case 2: text.insert(hostile[random(hostile.count)], at: place)
        default: text.removeSubrange(place..<min(text.count - 1, place + random(5)) + 1)
        }
        if text.isEmpty { text = [0] }
      }
      var buffer = MessageBuffer(sample.interface)
      try unsafe text.withUnsafeBytes { unsafe try buffer.append($0) }
      for _ in 0..<text.count {
        do {
          switch sample.direction {
          case .call:
            guard let call = try buffer.nextCall() else { break }
            _ = try? VaultRequest(call)
            _ = try? HelperRequest(call)
          case .reply, .error:
            guard let reply = try buffer.nextReply() else { break }
            _ = try? sample.again(reply.parameters)
            _ = try? VaultError(decoding: reply)
            _ = try? reply.result(of: AccessTokenCall.self)
          }
        } catch {
          // A typed error, and then the next message is read.
        }
        if buffer.count == 0 { break }
      }
    }
  }
}
