import System
import Testing
import VaultInterface

@testable import VaultServer

/// Which calls for a token must not be answered from the cache, because they get a record.
struct RecordedCallTests {
  private func call(_ members: String) throws -> UsualTokenCall {
    let text =
      #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me"\#(members)}}"#
    return try #require(
      unsafe Array(text.utf8).withUnsafeBytes { bytes in unsafe UsualTokenCall(bytes) }
    )
  }

  private func connection(of process: Int32) throws -> Connection {
    let (near, far) = try UnixSocket.pair()
    _ = Descriptor(owning: far)
    let peer = Peer(
      Descriptor(owning: near),
      PeerCredentials(process: process, user: ThisProcess.user, group: 0),
      try ProcessHandle(identifier: process)
    )
    let share = Share(.person(ThisProcess.user))
    return Connection(peer, number: 2, share: share, kind: .person)
  }

  /// The tool of a process that has ended cannot be determined.
  @Test
  func theReasonOfAHelperWithoutAToolIsRecorded() throws {
    let child = try ChildProcess(
      path: "/usr/bin/sleep",
      arguments: ["infinity"],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    let known = try connection(of: child.identifier)
    let unknown = try connection(of: child.identifier)
    #expect(known.tool != nil)
    child.kill()
    _ = try child.wait()
    for (members, byTool, withoutTool) in [
      ("", false, false),
      (#","helper":true"#, false, false),
      (#","helper":true,"reason":"kubernetes""#, false, true),
      (#","helper":false,"reason":"deploy""#, true, true),
      (#","reason":"deploy""#, true, true),
    ] {
      let call = try call(members)
      #expect(known.isRecorded(call) == byTool, "\(members)")
      #expect(unknown.isRecorded(call) == withoutTool, "\(members)")
    }
  }
}
