import Cryptography
import Glibc
import HTTPTransport
import HelperInterface
import System
import TestSupport
import Testing

/// The bytes of an address (inet_pton(3)).
private func bytes(of address: String) throws -> ArraySlice<UInt8> {
  let family = address.contains(":") ? AF_INET6 : AF_INET
  var bytes = [UInt8](repeating: 0, count: 16)
  try #require(unsafe inet_pton(family, address, &bytes) == 1)
  return bytes.prefix(family == AF_INET ? 4 : 16)
}

/// Requests that must not lead to this machine or to its link.
struct LocalAddressTests {
  @Test(arguments: [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1",
    "224.0.0.251", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
    "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1",
    "64:ff9b::169.254.169.254", "2002:7f00:1::1", "2002:a9fe:a9fe::", "fe80::1", "febf::1",
    "fec0::1", "ff02::1", "ff0e::1", "100.100.100.200", "fd00:ec2::254", "::ffff:100.100.100.200",
    "64:ff9b:1::127.0.0.1", "64:ff9b:1:ffff::1", "2001::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
  ])
  func anAddressOfThisMachineOrOfItsLinkIsKnown(_ address: String) throws {
    #expect(LocalAddress.contains(try bytes(of: address)))
  }

  @Test(arguments: [
    "1.1.1.1", "10.0.0.1", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.1",
    "172.16.0.1", "192.168.1.1", "223.255.255.255", "2606:4700::1111", "fd00::1", "fe00::1",
    "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1", "2001:db8::1", "2001:1::1",
    "64:ff9b:2::1", "100.100.100.201", "fd00:ec2::253", "fd00:ec2::1:254",
  ])
  func anAddressElsewhereIsNotTakenForOne(_ address: String) throws {
    #expect(try !LocalAddress.contains(bytes(of: address)))
  }

  @Test
  func whatIsNoAddressAtAllGoesNowhere() {
    for count in [0, 3, 5, 15, 17] {
      #expect(LocalAddress.contains([UInt8](repeating: 1, count: count)[...]))
    }
  }

  @Test(arguments: [
    "http://127.0.0.1:PORT", "http://localhost:PORT", "http://127.1:PORT",
    "http://2130706433:PORT", "http://0x7f000001:PORT", "http://0177.0.0.1:PORT",
    "http://[::1]:PORT", "https://anything.localhost:PORT", "https://[::ffff:127.0.0.1]:PORT",
    "https://[::ffff:7f00:1]:PORT", "https://0.0.0.0:PORT", "https://[::]:PORT",
    "https://169.254.169.254:PORT", "https://[fe80::1]:PORT", "https://224.0.0.1:PORT",
    "https://255.255.255.255:PORT", "https://ip6-localhost:PORT",
  ])
  func noSpellingLeadsHere(_ url: String) throws {
    let backend = try DevBackend()
    let port = String(backend.url.split(separator: ":").last ?? "")
    var request = HTTPRequest(method: "GET", url: url.replacing("PORT", with: port))
    request.mayReachThisMachine = false
    request.timeout = 20_000
    let reason = notSent(request)
    // A name that this machine does not know leads nowhere in any case.
    #expect(reason == .local || (url.contains("ip6-localhost") && reason == .resolve))
    #expect(try backend.connections() == 0)
  }

  @Test
  func aProxyHereIsNotAskedEither() throws {
    let proxy = try DevBackend()
    for scheme in ["http", "https", "socks5h"] {
      var request = HTTPRequest(method: "GET", url: "https://example.org/")
      request.proxy = proxy.url.replacing("http", with: scheme)
      request.mayReachThisMachine = false
      #expect(notSent(request) == .local)
    }
    #expect(try proxy.connections() == 0)
  }

  @Test
  func overTLSItIsReachedWhereItMayBeAndNotElse() throws {
    let certificates = try DevBackendCertificates()
    let backend = try DevBackend([
      "--tls", certificates.path("leaf.pem"), certificates.path("leaf.key"),
    ])
    var request = try registration(at: backend.url)
    request.authorities = try certificates.text("ca.pem")
    request.mayReachThisMachine = false
    #expect(notSent(request) == .local)
    #expect(try backend.connections() == 0)
    request.mayReachThisMachine = true
    #expect(ending(request) == .answered(201))
  }

  @Test
  func anInterfaceOfThisMachineIsKnownInAnyDress() throws {
    let interfaces: Set<[UInt8]> = [[10, 9, 8, 7], Array(try bytes(of: "fd12::1"))]
    for address in [
      "10.9.8.7", "::ffff:10.9.8.7", "::ffff:0:10.9.8.7", "64:ff9b::10.9.8.7", "2002:a09:807::1",
      "fd12::1",
    ] {
      #expect(LocalAddress.contains(try bytes(of: address), of: interfaces), "\(address)")
    }
    for address in ["10.9.8.6", "::ffff:10.9.8.6", "fd12::2", "2002:a09:808::1"] {
      #expect(try !LocalAddress.contains(bytes(of: address), of: interfaces), "\(address)")
    }
  }

  /// An address of an interface, and an address that is local to the kernel but on no interface.
  @Test(arguments: [
    "10.9.8.7", "[fd12::1]", "[::ffff:10.9.8.7]", "10.77.0.5", "[::ffff:10.77.0.5]",
  ])
  func theMachinesOwnAddressesAreRefusedUnlessItIsTold(_ host: String) throws {
    let network = """
      PATH=/usr/sbin:/usr/bin:/sbin:/bin
      ip link set lo up
      ip address add 10.9.8.7/32 dev lo
      ip -6 address add fd12::1/128 dev lo nodad
      ip route add local 10.77.0.0/16 dev lo
      """
    func reply(local: Bool) throws -> ExchangeReply? {
      let exchangeHelper = try ExchangeHelperProcess(inside: network)
      try exchangeHelper.send(
        ExchangeCall(
          httpMethod: "GET",
          url: "https://\(host):9443/",
          headers: [],
          pins: [],
          timeout: 20_000,
          maximumBody: 1024,
          local: local
        )
      )
      let reply = try exchangeHelper.exchangeReply()
      #expect(try exchangeHelper.end().0 == .exited(0))
      return reply
    }
    // Without a listener the kernel refuses the connection, which shows that it was tried.
    guard case .notSent(.refused, _) = try reply(local: true) else {
      Issue.record("not connected to although it may be")
      return
    }
    guard case .notSent(.local, _) = try reply(local: false) else {
      Issue.record("connected to")
      return
    }
  }

  /// A network of addresses of its own, with a listener that has the right certificate.
  private static func network(in path: String) -> String {
    """
    PATH=/usr/sbin:/usr/bin:/sbin:/bin
    ip link set lo up
    ip route add local 10.77.0.0/16 dev lo
    cd \(path)
    timeout 60 python3 -c '
    import socket, ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("own.pem", "own.key")
    listener = socket.create_server(("0.0.0.0", 9443))
    open("ready", "w").close()
    with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
        got = connection.recv(4096)
        open("got", "wb").write(got)
        if got: connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
    ' >log 2>&1 <&- &
    while [ ! -e ready ]; do sleep 0.05; done
    """
  }

  /// Makes the certificate of the listener, and its key.
  private static func makeCertificate(in path: String) throws {
    let make = try ChildProcess(
      path: "/bin/sh",
      arguments: [
        "-ec",
        """
        cd \(path)
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
          -keyout own.key -out own.pem -subj /CN=own -addext subjectAltName=IP:10.77.0.5 2>log
        """,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, 2]
    )
    try #require(try make.wait() == .exited(0))
  }

  /// The same with a listener that has the right certificate: both ends of the connection have one
  /// address.
  @Test
  func aConnectionWhoseEndsAreOneAddressIsNotUsed() throws {
    let scratch = try ScratchDirectory()
    try Self.makeCertificate(in: scratch.path)
    let network = Self.network(in: scratch.path)
    let directory = try scratch.open()
    let authority = String(
      decoding: try directory.openForReading("own.pem").readAll(limit: 1 << 16),
      as: UTF8.self
    )
    func reply(local: Bool) throws -> ExchangeReply? {
      _ = try? directory.unlink("ready")
      let exchangeHelper = try ExchangeHelperProcess(inside: network)
      try exchangeHelper.send(
        ExchangeCall(
          httpMethod: "GET",
          url: "https://10.77.0.5:9443/",
          headers: [],
          ca: authority,
          pins: [],
          timeout: 20_000,
          maximumBody: 1024,
          local: local
        )
      )
      let reply = try exchangeHelper.exchangeReply()
      #expect(try exchangeHelper.end().0 == .exited(0))
      return reply
    }
    guard case .notSent(.local, _) = try reply(local: false) else {
      Issue.record("sent")
      return
    }
    // The listener writes this file once a handshake is complete.
    #expect((try? directory.openForReading("got")) == nil)
    guard case .answered(200, _, _) = try reply(local: true) else {
      Issue.record("not sent although it may be")
      return
    }
  }

  @Test
  func theExchangeHelperRefusesUnlessItIsTold() throws {
    let backend = try DevBackend()
    let slot = try TestSlot()
    func call(local: Bool?, sealed: Bool) throws -> ExchangeCall {
      ExchangeCall(
        httpMethod: "GET",
        url: backend.url + "/auth/me",
        headers: [],
        pins: [],
        timeout: 20_000,
        maximumBody: 1024,
        key: sealed ? slot.key : nil,
        context: sealed ? slot.context.encoded : nil,
        local: local ?? false
      )
    }
    let plain = try ExchangeHelperProcess()
    try plain.send(try call(local: nil, sealed: false))
    guard case .notSent(.local, _) = try plain.exchangeReply() else {
      Issue.record("sent")
      return
    }
    #expect(try plain.end().0 == .exited(0))
    // With a slot the refusal is written there, like any other outcome.
    let sealed = try ExchangeHelperProcess()
    let file = try slot.open()
    try sealed.send(try call(local: nil, sealed: true), slot: file.number)
    guard case .done = try sealed.exchangeReply(), case .notSent("local") = try slot.outcome()
    else {
      Issue.record("not refused")
      return
    }
    #expect(try sealed.end().0 == .exited(0))
    #expect(try backend.connections() == 0)
    let told = try ExchangeHelperProcess()
    try told.send(try call(local: true, sealed: false))
    guard case .answered(401, nil, _) = try told.exchangeReply() else {
      Issue.record("no answer")
      return
    }
    #expect(try told.end().0 == .exited(0))
  }
}
