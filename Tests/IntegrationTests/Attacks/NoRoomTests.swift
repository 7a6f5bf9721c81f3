import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// The state directory on a file system of a few hundred pages, mounted by the test.
@Suite(.serialized)
struct NoRoomTests {
  /// Uses up the file system except for `pages` pages.
  private func fill(_ vault: TestVault, leaving pages: Int) throws {
    try python(
      """
      import os, sys
      with open(sys.argv[1], "wb", buffering=0) as file:
        try:
          while file.write(bytes(4096)): pass
        except OSError: pass
        size = os.fstat(file.fileno()).st_size
        file.truncate(max(0, size - size % 4096 - int(sys.argv[2]) * 4096))
      """,
      vault.state + "/filler",
      "\(pages)"
    )
  }

  @Test
  func aRefreshThatFindsNoRoomLosesNothingAndSucceedsLater() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try shell("mount -t tmpfs -o size=2m,mode=0700 none \(vault.state)")
    try vault.start()
    var token = try signIn(vault, backend)
    try vault.stopEngine()
    var before = 0
    var after = 0
    var succeeded = 0
    for pages in Array(0..<24) + [32, 48, 64] {
      try vault.start()
      try backend.clear()
      // The write-ahead log of the ended engine is gone, so a new one must be created.
      try fill(vault, leaving: pages)
      let caller = try vault.connect()
      let call = AccessTokenCall(account: "me", rejected: token)
      switch try caller.failure(call) {
      case nil:
        succeeded += 1
        #expect(try backend.requests().count == 1)
      case .vaultUnsafe(let message, let hint):
        #expect(message.contains("no space left"), "\(message)")
        #expect(hint?.contains("room") == true, "\(String(describing: hint))")
        let sent = try backend.requests().count
        #expect(sent <= 1)
        if sent == 0 { before += 1 } else { after += 1 }
        let isUnchanged = hint?.contains("nothing was changed") == true
        #expect(isUnchanged == (sent == 0), "\(sent) sent: \(hint ?? "-")")
        #expect((hint?.contains("the provider has answered") == true) == (sent == 1))
      case let other:
        Issue.record("\(pages) pages: \(String(describing: other))")
      }
      #expect(try caller.state() != .signedOut && caller.state() != .loginRequired)
      try shell("rm \(vault.state)/filler")
      // A sent token is not sent again, and its answer is not lost.
      let next = try caller.token(rejected: token)
      #expect(next != token)
      #expect(try backend.requests().count == 1, "\(pages) pages")
      token = next
      try vault.stopEngine()
    }
    #expect(before > 0 && succeeded > 0)
    // An answer that could not be stored is in the slot, which needs no further space.
    #expect(after > 0)
    #expect(try backend.count("sessions") == 1)
  }

  @Test
  func aSignInThatFindsNoRoomOpensNoPrompt() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try shell("mount -t tmpfs -o size=2m,mode=0700 none \(vault.state)")
    try vault.start()
    try fill(vault, leaving: 0)
    let caller = try vault.connect()
    let call = RegisterCall(
      account: "me",
      provider: provider(backend.url),
      email: "me@example.org",
      password: try secret(password)
    )
    guard case .vaultUnsafe = try caller.failure(call) else {
      Issue.record("a full disk is told as something else")
      return
    }
    #expect(try backend.requests() == [])
    try shell("rm \(vault.state)/filler")
    #expect(try caller.register("me", at: backend).state == .ready)
  }
}
