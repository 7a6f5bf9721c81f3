import JSON
import System
import TestSupport
import Testing

/// Providers with a private certificate authority, pins, and certificates that are not trusted.
@Suite(.serialized)
struct ProviderTLSTests {
  /// Expects that the provider's certificate is not trusted: exit 5, and no request arrived.
  private func isRefused(_ member: Member, _ settings: [String: String]) throws {
    try member.configure("bad", settings: settings)
    try member.provider.clear()
    for arguments in [["provider", "test", "bad"], ["login", "new", "--provider", "bad"]] {
      let refused = try member.run(arguments, variables: [try member.browser()])
      #expect(refused.end == .exited(5) || refused.end == .exited(2), "\(refused.text)")
    }
    #expect(try member.provider.requests().isEmpty)
  }

  @Test
  func aPrivateAuthorityIsBelievedInsteadOfTheSystems() throws {
    let member = try Member(certificate: "leaf.pem")
    #expect(member.provider.url.hasPrefix("https://"))
    try member.login().succeeded()
    _ = try member.newerToken()
    try member.run("whoami", "work").succeeded()
    let certificates = try #require(member.certificates)
    try shell("install -m 644 \(certificates.path("other-ca.pem")) \(member.base)/other.pem")
    try isRefused(member, ["ca": member.base + "/other.pem"])
    // Without its own authority, the system's authorities decide.
    try isRefused(member, ["ca": ""])
  }

  @Test
  func aPinIsBelievedBesideTheAuthorityAndSeveralServeForAChange() throws {
    let member = try Member(certificate: "leaf.pem")
    let certificates = try #require(member.certificates)
    let wrong = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    try isRefused(member, ["pins": wrong])
    // A pin does not replace the authority.
    try shell("install -m 644 \(certificates.path("other-ca.pem")) \(member.base)/other.pem")
    try isRefused(member, ["pins": certificates.pin, "ca": member.base + "/other.pem"])

    try member.configure(settings: ["pins": "\(certificates.pin); \(certificates.nextPin)"])
    try member.login().succeeded()
    try member.provider.call(
      "certificate",
      [
        "certificate": .string(certificates.path("next.pem")),
        "key": .string(certificates.path("next.key")),
      ]
    )
    _ = try member.newerToken()

    // The account is bound to the one pin of its sign-in, even if the file has changed since.
    try member.configure(settings: ["pins": certificates.nextPin])
    try member.login("held").succeeded()
    try member.configure(settings: ["pins": certificates.pin])
    try member.provider.call(
      "certificate",
      [
        "certificate": .string(certificates.path("leaf.pem")),
        "key": .string(certificates.path("leaf.key")),
      ]
    )
    try member.expireTokens()
    try member.provider.clear()
    #expect(try member.run("token", "held").end == .exited(5))
    #expect(try member.provider.requests().isEmpty)
    try member.run("token", "work").succeeded()
  }

  @Test(arguments: ["expired.pem", "wrong.pem"])
  func aCertificateThatDoesNotHoldIsRefused(_ certificate: String) throws {
    let member = try Member(certificate: certificate)
    try isRefused(member, [:])
  }

  @Test
  func theSystemsAuthoritiesAreNotBelievedBesideAPrivateOne() throws {
    let member = try Member(certificate: "leaf.pem")
    let certificates = try #require(member.certificates)
    try shell("install -m 644 \(certificates.path("other-ca.pem")) \(member.base)/other.pem")
    try member.configure("system", settings: ["ca": ""])
    try member.configure("private", settings: ["ca": member.base + "/other.pem"])
    // A machine whose system trusts the provider's authority, in its own mount namespace.
    let trusted = certificates.path("trusted")
    func test(_ provider: String) throws -> Someone.Outcome {
      try member.endEngine()
      let (text, end) = try output(
        of: "/usr/bin/unshare",
        [
          "--mount", "/bin/sh", "-ec",
          """
          cp \(certificates.path("ca.pem")) \(trusted)/ca-certificates.crt
          chmod -R a+rX \(certificates.directory)
          mount --bind \(trusted) /etc/ssl/certs
          exec setpriv --reuid=\(member.user.user) --regid=\(member.user.user) --clear-groups \
            \(member.programs)/thumblatch provider test \(provider)
          """,
        ],
        environment: member.environment
      )
      return Someone.Outcome(text: text, end: end)
    }
    let trusting = try test("system")
    #expect(trusting.end == .exited(0), "\(trusting.text)")
    let refused = try test("private")
    #expect(refused.end == .exited(5) || refused.end == .exited(2), "\(refused.text)")
    try member.endEngine()
  }

  @Test
  func anIPv6AddressIsAnAddress() throws {
    let member = try Member(.toolkit, ["--host", "::1"], certificate: "leaf.pem")
    #expect(member.provider.url.hasPrefix("https://[::1]:"))
    try member.configure(settings: ["redirect_uri": "http://[::1]/callback"])
    try member.login().succeeded()
    let asked = try member.provider.requests().first { $0.path == "/o/authorize/" }
    #expect(asked?.query["redirect_uri"]?.hasPrefix("http://[::1]:") == true)
    _ = try member.newerToken()
  }

  @Test
  func aProxyOfTheEnvironmentIsNotUsed() throws {
    let member = try Member()
    let elsewhere = try member.provider.call("elsewhere").string("url")
    let proxies = ["http_proxy", "https_proxy", "ALL_PROXY"].map { "\($0)=\(elsewhere)" }
    try member.run("provider", "test", "idp", variables: proxies).succeeded()
    #expect(try member.provider.call("elsewhere").integer("connections") == 0)
  }
}
