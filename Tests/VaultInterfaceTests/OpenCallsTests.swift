import JSON
import Testing
import Varlink
import VaultInterface

/// The calls that wait for an answer on a connection whose bytes are carried.
struct OpenCallsTests {
  private func count(_ pieces: (isReply: Bool, text: String)...) -> Int {
    var calls = OpenCalls()
    for piece in pieces {
      let bytes = Array(piece.text.utf8)
      unsafe bytes.withUnsafeBytes { bytes in
        if piece.isReply { unsafe calls.addReplies(bytes) } else { unsafe calls.addCalls(bytes) }
      }
    }
    return calls.count
  }

  @Test
  func aCallIsOpenFromItsLastByteToItsLastReply() {
    #expect(count((false, "{\"method\":")) == 0)
    #expect(count((false, "{\"method\":"), (false, "\"a.b.C\"}\0")) == 1)
    #expect(count((false, "{}\0{}\0{"), (true, "{\"parameters\":{}}\0")) == 1)
    #expect(count((false, "{}\0"), (true, "{\"parameters\":{}}")) == 1)
    #expect(count((false, "{}\0"), (true, "{}\0"), (true, "{}\0"), (false, "{}\0")) == 1)
  }

  @Test
  func aOnewayCallIsNotOpenHoweverItIsWritten() {
    for text in [
      #"{"method":"a.b.C","oneway" : true}"#, #"{"parameters":{"a":[{}]}, "oneway":\#n\#ttrue}"#,
      #"{"\u006fneway":true}"#,
    ] {
      #expect(count((false, text + "\0")) == 0)
      #expect(count((false, "{}\0" + text + "\0{}\0")) == 2)
    }
    for text in [
      #"{"method":"a.b.C","oneway":false}"#, #"{"parameters":{"oneway":true}}"#,
      #"{"method":"oneway","more":true}"#, #"{"method":"a\"b","parameters":{"\u006fneway":true}}"#,
      #"{"onewayx":true,"onewa":true}"#, #"{"parameters":{"a":"\"oneway\":true"}}"#,
    ] {
      #expect(count((false, text + "\0")) == 1)
    }
  }

  @Test
  func aReplyThatContinuesIsNotTheLast() throws {
    let next = VarlinkReply(parameters: ["text": "x"], continues: true)
    let words = VarlinkReply(parameters: ["text": "\"continues\":true"])
    var calls = OpenCalls()
    unsafe Array("{}\0".utf8).withUnsafeBytes { unsafe calls.addCalls($0) }
    // A reply may come in any pieces.
    for byte in try next.plainEncoded(on: .vault) {
      unsafe [byte].withUnsafeBytes { unsafe calls.addReplies($0) }
    }
    #expect(calls.count == 1)
    unsafe try words.plainEncoded(on: .vault).withUnsafeBytes { unsafe calls.addReplies($0) }
    #expect(calls.count == 0)
  }
}
