import Glibc
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// Many connections, and clients that read slowly or not at all.
extension SocketTests {
  @Test
  func idleAndHalfMessagesDelayNoCaller() throws {
    let (vault, engine) = try started()
    let unloaded = BootInstant.now
    for _ in 0..<50 { try serves(vault, engine) }
    let usual = BootInstant.now.seconds(since: unloaded)
    let idle = try (0..<100).map { _ in try vault.connect() }
    let half = try (0..<100).map { _ in
      let caller = try vault.connect()
      try caller.send(bytes: Array(Self.status.utf8.dropLast()))
      return caller
    }
    // To wait 5 s for each half message would take 500 s.
    let begun = BootInstant.now
    for _ in 0..<50 { try serves(vault, engine) }
    // A message that was begun must be ended in time.
    for caller in half { #expect(try caller.reply() == nil) }
    #expect(BootInstant.now.seconds(since: begun) <= 4 * usual + 60)
    for caller in idle { #expect(try caller.call(GetInfoCall()).product == "thumblatchd") }
  }

  @Test
  func moreConnectionsThanTheLimitAreTurnedAwayAndRoomComesBack() throws {
    let (vault, engine) = try started()
    do {
      let callers = try (0..<400).map { _ in try vault.connect() }
      var served = 0
      for caller in callers {
        // A status looks for the reader, and would keep the last of them silent for too long.
        let call = #"{"method":"org.varlink.service.GetInfo"}"#
        guard try caller.send(bytes: message(call)) else { continue }
        if try caller.reply() != nil { served += 1 }
      }
      #expect((128...256).contains(served))
      #expect(try openDescriptors(engine) < 1024)
    }
    #expect(servesAgain(vault, engine))
  }

  @Test
  func descriptorsThatHaveRunOutEndNoProcess() throws {
    let (vault, engine) = try started()
    let before = try vault.connect()
    try before.call(GetStatusCall())
    try shell("prlimit --pid \(engine.identifier) --nofile=64:64")
    var more = try (0..<80).map { _ in try vault.connect() }
    try before.call(GetStatusCall())
    more.removeAll()
    #expect(try engine.child.poll() == nil)
    #expect(servesAgain(vault, engine))
  }

  @Test
  func whoLeavesWithCallsWaitingIsForgottenAtOnce() throws {
    let backend = try DevBackend()
    try backend.fail(.init("/auth/login", hold: true))
    let (vault, engine) = try started()
    let other = try vault.connect()
    try other.call(GetStatusCall())
    let before = try callers(of: engine)
    var its: Set<String> = []
    do {
      let caller = try vault.connect()
      try caller.call(GetStatusCall())
      its = try callers(of: engine).subtracting(before)
      // The caller's socket and its process descriptor.
      try #require(its.count == 2)
      try caller.send(
        LoginCall(
          account: "me",
          provider: provider(backend.url),
          email: "me@example.org",
          password: try secret(password)
        )
      )
      try backend.waitForRequests("/auth/login")
      // The limit of waiting calls is reached: from here on the engine reads no input.
      for _ in 0..<6 { try caller.send(GetStatusCall()) }
      try other.call(GetStatusCall())
    }
    // Otherwise epoll would report the hang-up to the engine without end.
    let isForgotten = try eventually {
      try other.call(GetStatusCall())
      return try callers(of: engine).isDisjoint(with: its)
    }
    #expect(isForgotten)
    try backend.release()
  }

  @Test
  func aLongAuditLogWaitsForItsReader() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    try vault.connect().register("me", at: backend)
    try vault.stopEngine()
    try vault.edit(
      """
      WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000)
      INSERT INTO audit
      SELECT number + n, time, owner, event, outcome, account_id, account, method, requester,
        detail, mac
      FROM audit, more WHERE number = (SELECT max(number) FROM audit);
      """
    )
    let engine = try vault.start()
    let caller = try vault.connect()
    try caller.send(AuditCall(), more: true)
    // A slow reader loses nothing and delays no other caller.
    for _ in 0..<20 { try serves(vault, engine) }
    var numbers: [Int] = []
    while let reply = try caller.reply() {
      let record = try #require(try reply.result(of: AuditCall.self).record)
      numbers.append(record.number)
      if !reply.continues { break }
    }
    #expect(numbers.count > 20_000)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    try serves(vault, engine)
  }

  @Test
  func whoNeverReadsFillsNoMemoryButHisOwn() throws {
    let (vault, engine) = try started()
    func residentKilobytes() throws -> Int {
      let text = try shell("grep VmRSS /proc/\(engine.identifier)/status")
      return try #require(Int(text.split(separator: " ").dropLast().last ?? ""))
    }
    let before = try residentKilobytes()
    let question = #"{"method":"org.varlink.service.GetInterfaceDescription","#
    let call = message(question + #""parameters":{"interface":"io.thumblatch.Vault"}}"#)
    let callers = try (0..<20).map { _ in
      let caller = try vault.connect()
      try caller.socket.setNonblocking(true)
      return caller
    }
    for caller in callers {
      for _ in 0..<2000 {
        let sent = unsafe try call.withUnsafeBytes { unsafe try caller.socket.send($0) }
        if sent != call.count { break }
      }
    }
    for _ in 0..<20 { try serves(vault, engine) }
    // 20 callers with at most 1 MiB of replies and a few waiting calls each.
    #expect(try residentKilobytes() - before < 64 * 1024)
  }
}
