import Glibc
import PresenceTerms
import TestSupport
import Testing
import VaultInterface

/// Two exchange helpers that die during one refresh.
extension SpareExchangeHelperTests {
  /// The first helper's answer in the slot does not count as an outcome of the second one.
  @Test
  func theSecondOneGetsAnEmptySlot() throws {
    let (_, vault, token, spare) = try waiting()
    try shell(
      """
      cd \(vault.programs)
      cat >new <<'END'
      #!/usr/bin/python3
      import os, socket
      engine = socket.socket(fileno=0)
      first = "\(vault.programs)/first"
      slot, data = None, b""
      while True:
          part, found, _, _ = socket.recv_fds(engine, 65536, 1)
          if not part:
              raise SystemExit
          slot = found[0] if found else slot
          data += part
          if not data.endswith(b"\\0"):
              continue
          if slot is None:
              engine.sendall(b'{"parameters": {}}\\0')
              data = b""
          elif os.path.exists(first):
              open("\(vault.programs)/seen", "w").write(os.pread(slot, 100, 0).hex())
              engine.sendall(b'{"parameters": {"outcome": "begun"}, "continues": true}\\0')
              os.kill(os.getpid(), 9)
          elif b"Proceed" in data:
              os.pwrite(slot, bytes([1] * 100), 0)
              open(first, "w").close()
              os.kill(os.getpid(), 9)
      END
      chmod 755 new
      mv new \(Self.program)
      """
    )
    kill(spare, SIGKILL)
    try waitForEnd(spare)
    let caller = try vault.connect()
    #expect(try caller.failure(AccessTokenCall(account: "me", rejected: token)) != nil)
    #expect(try shell("cat \(vault.programs)/seen") == String(repeating: "00", count: 100))
    #expect(try caller.state() == .uncertain)
  }
}
