import Glibc
import JSON
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// Misuse of the engine's socket by a caller harms only that caller.
@Suite(.serialized)
struct SocketTests {
  func started() throws -> (TestVault, EngineProcess) {
    let vault = try TestVault()
    return (vault, try vault.start())
  }

  /// A message as it goes over the socket.
  func message(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

  static let status = #"{"method":"io.thumblatch.Vault.GetStatus"}"#

  /// Expects that the same engine still answers.
  func serves(_ vault: TestVault, _ engine: EngineProcess) throws {
    let status = try vault.connect().call(GetStatusCall())
    #expect(status.process == Int(engine.identifier))
  }

  /// Whether the engine serves once the closed connections are gone.
  ///
  /// A child of another test may hold copies of their descriptors for a moment, until its exec.
  func servesAgain(_ vault: TestVault, _ engine: EngineProcess) -> Bool {
    eventually {
      let status = try? vault.connect().call(GetStatusCall())
      return status?.process == Int(engine.identifier)
    }
  }

  func openDescriptors(_ engine: EngineProcess) throws -> Int {
    try Directory(path: "/proc/\(engine.identifier)/fd").names().count
  }

  /// The engine's sockets, and its process descriptors of this process, which makes all calls.
  ///
  /// Those of helpers open and close independently: a socket has a number of its own, and the
  /// descriptor of a helper's process is not one of this process.
  func callers(of engine: EngineProcess) throws -> Set<String> {
    let folder = "/proc/\(engine.identifier)"
    let names = try Directory(path: folder + "/fd").names()
    return Set(
      names.compactMap { name in
        guard let target = linkTarget("\(folder)/fd/\(name)") else { return nil }
        if target.hasPrefix("socket:") { return target }
        let facts = try? Directory(path: folder + "/fdinfo").openForReading(name).readAll(
          limit: 4096
        )
        let text = String(decoding: facts ?? [], as: UTF8.self)
        return text.contains("Pid:\t\(ThisProcess.identifier)\n") ? "process \(name)" : nil
      }
    )
  }

  @Test
  func theInterfaceIsTheInstalledFile() throws {
    let (vault, _) = try started()
    let caller = try vault.connect()
    let info = try caller.call(GetInfoCall())
    #expect(info.interfaces == ["org.varlink.service", "io.thumblatch.Vault"])
    #expect(info.url.isEmpty)
    let path = "/Sources/Installed/usr/share/thumblatch"
    let file = try Directory(path: BuiltPrograms.sourceDirectory + path)
      .openForReading("io.thumblatch.Vault.varlink").readAll(limit: 1 << 20)
    let described = try caller.call(GetInterfaceDescriptionCall(interface: "io.thumblatch.Vault"))
    #expect(Array(described.description.utf8) == file)
    for (method, error) in [
      ("io.thumblatch.Vault.Nothing", "org.varlink.service.MethodNotFound"),
      ("org.example.Nothing", "org.varlink.service.MethodNotFound"),
      ("org.varlink.service.Nothing", "org.varlink.service.MethodNotFound"),
    ] {
      try caller.send(bytes: message(#"{"method":"\#(method)"}"#))
      #expect(try caller.reply()?.error == error)
    }
    let wrong = #"{"method":"io.thumblatch.Vault.Unlock","parameters":{"accounts":"all"}}"#
    try caller.send(bytes: message(wrong))
    let reply = try caller.reply()
    #expect(reply?.error == "org.varlink.service.InvalidParameter")
    #expect(try reply?.parameters.string("parameter") == "accounts")
    // A oneway call gets no reply, also if it asks for several.
    try caller.send(bytes: message(#"{"method":"io.thumblatch.Vault.Lock","oneway":true}"#))
    let several = #"{"method":"io.thumblatch.Vault.Watch","oneway":true,"more":true}"#
    try caller.send(bytes: message(several))
    #expect(try caller.call(GetInfoCall()).product == "thumblatchd")
  }

  @Test
  func aMessageMayComeByteByByteAndManyAtOnce() throws {
    let (vault, _) = try started()
    let caller = try vault.connect()
    for byte in message(Self.status) { try caller.send(bytes: [byte]) }
    #expect(try caller.result(of: GetStatusCall.self).form == .private)
    try caller.send(bytes: Array((0..<200).map { _ in message(Self.status) }.joined()))
    for _ in 0..<200 { #expect(try caller.result(of: GetStatusCall.self).form == .private) }
  }

  /// As a shell does by `printf ... | socat - UNIX-CONNECT:...`.
  @Test
  func aCallerThatSendsNoMoreGetsItsAnswers() throws {
    let (vault, engine) = try started()
    try serves(vault, engine)
    let before = try openDescriptors(engine)
    let caller = try vault.connect()
    try caller.send(bytes: message(Self.status) + message(Self.status))
    caller.socket.shutDownSending()
    for _ in 0..<2 { #expect(try caller.result(of: GetStatusCall.self).form == .private) }
    #expect(try caller.reply() == nil)
    // An incomplete message is no call. A call that waits for changes ends with the caller's side.
    let incomplete = try vault.connect()
    try incomplete.send(bytes: message(Self.status) + Array(Self.status.utf8))
    incomplete.socket.shutDownSending()
    while try incomplete.reply() != nil {}
    for _ in 0..<20 {
      let watcher = try vault.connect()
      try watcher.send(WatchCall(), more: true)
      watcher.socket.shutDownSending()
      while try watcher.reply() != nil {}
    }
    #expect(try eventually { try openDescriptors(engine) < before + 20 })
    try serves(vault, engine)
  }

  @Test
  func aMessageIsBounded() throws {
    let (vault, engine) = try started()
    let start = #"{"method":"io.thumblatch.Vault.GetAccount","parameters":{"account":""#
    let end = #""}}"#
    let room = 65_536 - 1 - start.utf8.count - end.utf8.count
    let longest = start + String(repeating: "a", count: room) + end
    let caller = try vault.connect()
    try caller.send(bytes: message(longest))
    let failure = try caller.failure(of: GetAccountCall.self)
    guard case .invalidArgument = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    for text in [
      start + String(repeating: "a", count: room + 1) + end, String(repeating: " ", count: 1 << 20),
      String(repeating: "[", count: 1 << 20),
    ] {
      let caller = try vault.connect()
      try caller.send(bytes: message(text))
      #expect(try caller.reply() == nil)
    }
    try serves(vault, engine)
  }

  @Test(arguments: [
    "", "{}", "[]", "null", "x", "{", #"{"method":1}"#, #"{"method":""}"#, #"{"method":"\u0000"}"#,
    #"{"method":"io.thumblatch.Vault.GetStatus","method":"io.thumblatch.Vault.Lock"}"#,
    #"{"method":"io.thumblatch.Vault.GetStatus","parameters":[]}"#,
    #"{"method":"io.thumblatch.Vault.GetStatus","more":"yes"}"#,
    #"{"method":"io.thumblatch.Vault.GetAccount","parameters":{"account":"\ud800"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":1e999}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":-1}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":9223372036854775807}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":92233720368547758070}}"#,
    #"{"method":"io.thumblatch.Vault.Unlock","parameters":{"accounts":[],"duration":-9223372036854775808}}"#,
    #"{"method":"io.thumblatch.Vault.Audit","parameters":{"since":-9223372036854775808},"more":true}"#,
    #"{"method":"io.thumblatch.Vault.Check","parameters":{"prompt":"../../x","method":"password"}}"#,
    #"{"method":"io.thumblatch.Vault.Check","parameters":{"prompt":"","method":"nose"}}"#,
    #"{"method":"io.thumblatch.Vault.Respond","parameters":{"prompt":"","text":""}}"#,
    #"{"method":"io.thumblatch.Vault.EnrollFinger","parameters":{"finger":"\u001b[2J"}}"#,
    #"{"method":"io.thumblatch.Vault.Cancel","parameters":{"prompt":"\u0007"}}"#,
    #"{"method":"io.thumblatch.Vault.GetStatus","upgrade":true}"#,
    #"{"method":"io.thumblatch.Vault.GetStatus"} "#,
    #" {"method":"io.thumblatch.Vault.GetStatus"}x"#,
    String(repeating: #"{"a":"#, count: 10_000), String(repeating: "[", count: 60_000),
    #"{"method":"io.thumblatch.Vault.Login","parameters":{"account":"me","email":"x","password":""}}"#,
    #"{"method":"io.thumblatch.Vault.Login","parameters":{"account":"me","email":"x","password":7}}"#,
  ])
  func junkIsAnsweredOrEndsOnlyItsConnection(_ text: String) throws {
    let (vault, engine) = try started()
    let other = try vault.connect()
    let caller = try vault.connect()
    try caller.send(bytes: message(text))
    // An error, a reply, or the end of the connection, but at once.
    let reply = try caller.reply()
    if let error = reply?.error {
      #expect(error.hasPrefix("org.varlink.") || error.hasPrefix("io.th"))
    }
    if reply != nil { #expect(try caller.call(GetInfoCall()).product == "thumblatchd") }
    #expect(try other.call(GetStatusCall()).process == Int(engine.identifier))
  }

  @Test
  func randomBytesBreakNothing() throws {
    let (vault, engine) = try started()
    // The first connections open files that stay open. They come before the count.
    for _ in 0..<3 { try serves(vault, engine) }
    let before = try openDescriptors(engine)
    var bytes = [UInt8](repeating: 0, count: 5000)
    for _ in 0..<100 {
      unsafe try bytes.withUnsafeMutableBytes { unsafe try ThisProcess.fillRandom($0) }
      let caller = try vault.connect()
      try caller.send(bytes: bytes + [0])
      #expect(try caller.reply() == nil)
    }
    try serves(vault, engine)
    // A recently closed connection may still hold two descriptors.
    #expect(try eventually { try openDescriptors(engine) <= before + 4 })
    try serves(vault, engine)
  }

  @Test
  func passedDescriptorsAreClosed() throws {
    let (vault, engine) = try started()
    try serves(vault, engine)
    let before = try openDescriptors(engine)
    try python(
      """
      import os, socket, sys
      os.chdir(sys.argv[1])
      call = b'{"method":"io.thumblatch.Vault.GetStatus"}\\0'
      null = os.open("/dev/null", os.O_RDONLY)
      for count in [1] * 50 + [2, 3, 4, 5, 250, 253] * 50:
        with socket.socket(socket.AF_UNIX) as engine:
          engine.connect("engine")
          try:
            for byte in (call[:9], call[9:20], call[20:]):
              socket.send_fds(engine, [byte], [null] * count)
            engine.recv(4096)
          except (BrokenPipeError, ConnectionResetError):
            pass
      """,
      vault.state
    )
    try serves(vault, engine)
    #expect(try eventually { try openDescriptors(engine) <= before + 4 })
  }

  @Test
  func anotherUserIsTurnedAwayEvenWhereTheDirectoryLetsHimIn() throws {
    let (vault, engine) = try started()
    let program = """
      import os, socket, sys
      os.setgid(65534); os.setuid(65534)
      with socket.socket(socket.AF_UNIX) as engine:
        try:
          engine.connect(sys.argv[1] + "/engine")
          engine.sendall(b'{"method":"io.thumblatch.Vault.GetStatus"}\\0')
          print(len(engine.recv(4096)))
        except OSError as error:
          print(error.__class__.__name__)
      """
    #expect(try python(program, vault.state) == "PermissionError\n")
    try shell("chmod 711 \(vault.state); chmod 666 \(vault.state)/engine")
    let answer = try python(program, vault.state)
    #expect(["0\n", "ConnectionResetError\n", "BrokenPipeError\n"].contains(answer), "\(answer)")
    try serves(vault, engine)
  }

  @Test
  func theConnectionOfAProcessThatHasEndedIsWorthNothing() throws {
    let (vault, engine) = try started()
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: [
        "-c",
        """
        import socket, sys
        engine = socket.socket(socket.AF_UNIX)
        engine.connect(sys.argv[1] + "/engine")
        engine.sendall(b'{"method":"io.thumblatch.Vault.GetStatus"}\\0')
        assert engine.recv(65536)
        socket.send_fds(socket.socket(fileno=0), [b"x"], [engine.fileno()])
        """,
        vault.state,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [theirs.number, -1, 2]
    )
    #expect(try child.wait() == .exited(0))
    var byte: UInt8 = 0
    let received = unsafe try withUnsafeMutableBytes(of: &byte) {
      unsafe try ours.receive(into: $0)
    }
    guard let received, let socket = received.takeDescriptor() else {
      Issue.record("the connection did not come")
      return
    }
    let caller = EngineConnection(socket)
    try caller.send(bytes: message(Self.status))
    #expect(try caller.reply() == nil)
    try serves(vault, engine)
  }
}
