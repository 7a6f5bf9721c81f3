import HTTPTransport
import System
import TestSupport
import Testing

/// The servers that a request over TLS trusts.
///
/// An untrusted server sees no request.
struct TrustTests {
  let certificates: DevBackendCertificates

  init() throws {
    certificates = try DevBackendCertificates()
  }

  private func backend(_ certificate: String) throws -> DevBackend {
    try DevBackend(["--tls", certificates.path(certificate), certificates.path("leaf.key")])
  }

  private func request(to backend: DevBackend, trusting file: String?) throws -> HTTPRequest {
    var request = try registration(at: backend.url)
    request.authorities = try file.map { try certificates.text($0) }
    return request
  }

  @Test
  func aPrivateAuthorityIsBelievedWhereItIsNamed() throws {
    let backend = try backend("leaf.pem")
    #expect(ending(try request(to: backend, trusting: "ca.pem")) == .answered(201))
  }

  @Test
  func anUnknownAuthorityIsRefusedBeforeTheRequest() throws {
    let backend = try backend("leaf.pem")
    #expect(notSent(try request(to: backend, trusting: nil)) == .authority)
    #expect(notSent(try request(to: backend, trusting: "other-ca.pem")) == .authority)
    #expect(try backend.requests().isEmpty)
    #expect(try backend.connections() == 2)
  }

  @Test
  func theSystemsAuthoritiesAreNotBelievedBesideAPrivateOne() throws {
    let backend = try backend("leaf.pem")
    var ordinary = try request(to: backend, trusting: nil)
    ordinary.systemAuthorities = .init(directory: certificates.path("trusted"))
    #expect(ending(ordinary) == .answered(201))
    var restricted = try request(to: backend, trusting: "other-ca.pem")
    restricted.systemAuthorities = .init(directory: certificates.path("trusted"))
    #expect(notSent(restricted) == .authority)
    #expect(try backend.requests().count == 1)
  }

  /// A distribution's update and an administrator replace the file while a helper waits.
  @Test
  func theSystemsAuthoritiesAreThoseAtTheTimeOfTheRequest() throws {
    let backend = try backend("leaf.pem")
    let directory = try Directory(path: certificates.directory)
    var request = try request(to: backend, trusting: nil)
    request.systemAuthorities = .init(file: certificates.path("bundle.pem"))
    for (name, isTrusted) in [("other-ca.pem", false), ("ca.pem", true), ("other-ca.pem", false)] {
      try directory.link(name, as: "bundle.pem")
      // The second request uses the authorities that the first one has read.
      for _ in 0..<2 { #expect((notSent(request) != .authority) == isTrusted) }
      #expect(try directory.unlink("bundle.pem"))
    }
    #expect(notSent(request) == .tls)
  }

  /// OpenSSL keeps the certificates that it has found in a directory.
  @Test
  func anAuthorityThatLeftTheDirectoryIsNoLongerBelieved() throws {
    let backend = try backend("leaf.pem")
    var request = try request(to: backend, trusting: nil)
    request.systemAuthorities = .init(directory: certificates.path("trusted"))
    #expect(ending(request) == .answered(201))
    try Directory(path: certificates.directory).rename("trusted", to: "gone")
    #expect(notSent(request) == .authority)
  }

  /// Without the machine's own file, the server is not to blame for an unknown authority.
  @Test(arguments: ["nothing", "leaf.key", "trusted"])
  func aFileWithoutAuthoritiesIsNoFaultOfTheServer(_ file: String) throws {
    let backend = try backend("leaf.pem")
    var request = try request(to: backend, trusting: nil)
    request.systemAuthorities = .init(file: certificates.path(file))
    #expect(notSent(request) == .tls)
    #expect(try backend.requests().isEmpty)
    request.systemAuthorities = .init(file: certificates.path("other-ca.pem"))
    #expect(notSent(request) == .authority)
  }

  @Test
  func fileAndDirectoryOfTheSystemAreBothBelieved() throws {
    let backend = try backend("leaf.pem")
    var request = try request(to: backend, trusting: nil)
    for (file, directory, isTrusted) in [
      ("ca.pem", "nothing", true), ("other-ca.pem", "trusted", true), ("nothing", "trusted", true),
      ("other-ca.pem", "nothing", false),
    ] {
      request.systemAuthorities = .init(
        file: certificates.path(file),
        directory: certificates.path(directory)
      )
      #expect((notSent(request) != .authority) == isTrusted)
    }
  }

  /// libcurl's own authorities are this distribution's.
  @Test
  func theSystemsAuthoritiesHaveTheirFiles() {
    let files = AuthorityFiles.system
    #expect(files.file != nil && files.directory != nil)
  }

  @Test
  func authoritiesThatAreNoCertificatesAreRefused() throws {
    let backend = try backend("leaf.pem")
    var wrong = try request(to: backend, trusting: nil)
    wrong.systemAuthorities = .init(directory: certificates.path("trusted"))
    wrong.authorities = "not a certificate"
    #expect(notSent(wrong) == .tls)
    #expect(try backend.requests().isEmpty)
  }

  @Test
  func anExpiredCertificateIsRefused() throws {
    let backend = try backend("expired.pem")
    #expect(notSent(try request(to: backend, trusting: "ca.pem")) == .expired)
    #expect(try backend.requests().isEmpty)
  }

  @Test
  func aCertificateForAnotherHostIsRefused() throws {
    let backend = try backend("wrong.pem")
    #expect(notSent(try request(to: backend, trusting: "ca.pem")) == .name)
    #expect(try backend.requests().isEmpty)
  }

  @Test
  func theRightPinPassesByItselfOrAmongOthers() throws {
    let backend = try backend("leaf.pem")
    for pins in [[certificates.pin], [Self.wrongPin, certificates.pin]] {
      var pinned = try request(to: backend, trusting: "ca.pem")
      pinned.pins = pins
      #expect(ending(pinned).error == nil)
    }
  }

  @Test
  func aWrongPinEndsItBeforeTheRequest() throws {
    let backend = try backend("leaf.pem")
    var pinned = try request(to: backend, trusting: "ca.pem")
    pinned.pins = [Self.wrongPin]
    #expect(notSent(pinned) == .pin)
    #expect(try backend.requests().isEmpty)
  }

  @Test
  func aRightPinDoesNotReplaceAuthorityNameOrDate() throws {
    for (certificate, authority, reason) in [
      ("leaf.pem", "other-ca.pem", HTTPError.Reason.authority), ("wrong.pem", "ca.pem", .name),
      ("expired.pem", "ca.pem", .expired),
    ] {
      let backend = try backend(certificate)
      var pinned = try request(to: backend, trusting: authority)
      pinned.pins = [certificates.pin]
      #expect(notSent(pinned) == reason)
      #expect(try backend.requests().isEmpty)
    }
  }

  @Test
  func aServerThatSpeaksNoTLSGetsNoRequest() throws {
    let plain = try DevBackend()
    var request = try registration(at: "https" + plain.url.dropFirst("http".count))
    request.timeout = 20_000
    #expect(notSent(request) != nil)
    #expect(try plain.requests().isEmpty)
  }

  @Test
  func aConnectionThatTakesTooLongIsNoRequest() throws {
    // The server accepts connections and sends nothing: the TLS handshake belongs to the
    // connection.
    let silent = try LoopbackSocket.bind(.ipv4)
    try LoopbackSocket.listen(at: silent)
    let port = try LoopbackSocket.port(of: silent)
    var request = try registration(at: "https://127.0.0.1:\(port)")
    request.timeout = 600_000
    request.connectTimeout = 2000
    // It is connected, so the network is not to blame.
    #expect(notSent(request) == .silent)
    request.connectTimeout = 0
    #expect(ending(request).error == .refused(.limit))
  }

  private static let wrongPin = "sha256//" + String(repeating: "A", count: 43) + "="
}
