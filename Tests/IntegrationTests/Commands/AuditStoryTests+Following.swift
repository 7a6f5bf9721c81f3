import Glibc
import System
import TestSupport
import Testing
import VaultInterface

// `audit --follow` through the real programs.
extension AuditStoryTests {
  @Test
  func followingShowsWhatHappensNow() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    try caller.register("me", at: backend)
    let (near, far) = try UnixSocket.pair()
    let output = Descriptor(owning: near)
    let follower: ChildProcess
    do {
      let theirs = Descriptor(owning: far)
      follower = try ChildProcess(
        path: vault.programs + "/thumblatch-cli",
        arguments: ["audit", "--follow"],
        environment: ["PATH=/usr/bin:/bin", "THUMBLATCH_STATE_DIR=\(vault.state)"],
        descriptors: [-1, theirs.number, 2]
      )
    }
    var shown = ""
    func shows(_ text: String) throws {
      while !shown.contains(text) {
        try #require(try output.waitReadable(milliseconds: 60_000), "\(shown)")
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe try bytes.withUnsafeMutableBytes { unsafe try output.read(into: $0) }
        try #require(count > 0, "\(shown)")
        shown += String(decoding: bytes[..<count], as: UTF8.self)
      }
    }
    try shows("registration")
    _ = try caller.token(rejected: try caller.token())
    try shows("token-rejected")
    try shows("refresh")
    try caller.call(LogoutCall(account: "me", local: true))
    try shows("logout")
    kill(follower.identifier, SIGINT)
    #expect(try follower.wait() == .exited(130))
    #expect(try shown == command(vault, "audit").text)
  }
}
