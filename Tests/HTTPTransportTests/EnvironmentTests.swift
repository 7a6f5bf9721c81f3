import Glibc
import HTTPTransport
import System
import TestSupport
import Testing

/// Environment variables have no effect.
///
/// Each test changes its own process.
struct EnvironmentTests {
  @Test
  func proxiesOfTheEnvironmentAreNotAsked() async {
    await #expect(processExitsWith: .success) {
      let backend = try DevBackend()
      let proxy = try DevBackend()
      for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        unsafe setenv(name, proxy.url, 1)
      }
      #expect(ending(try registration(at: backend.url)) == .answered(201))
      #expect(notSent(HTTPRequest(method: "GET", url: "https://name.invalid/")) == .resolve)
      #expect(try proxy.connections() == 0)
    }
  }

  @Test
  func aProxyThatIsNamedIsAskedWhateverTheEnvironmentSays() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("no_proxy", "*", 1)
      let proxy = try DevBackend()
      var request = HTTPRequest(method: "GET", url: "https://name.invalid/auth/me")
      request.headers = ["Authorization: Bearer at_secret"]
      request.proxy = proxy.url
      #expect(notSent(request) != nil)
      #expect(try proxy.connections() == 1)
      #expect(try proxy.requests().isEmpty)
    }
  }

  @Test
  func aLoopbackHostIsNeverAskedOfAProxy() throws {
    let backend = try DevBackend()
    let proxy = try DevBackend()
    var request = try registration(at: backend.url)
    request.proxy = proxy.url
    #expect(ending(request) == .answered(201))
    #expect(try proxy.connections() == 0)
  }

  @Test
  func noKeysOfAConnectionAreWrittenWhereTheEnvironmentSays() async {
    await #expect(processExitsWith: .success) {
      let certificates = try DevBackendCertificates()
      unsafe setenv("SSLKEYLOGFILE", certificates.path("keys.log"), 1)
      let backend = try DevBackend([
        "--tls", certificates.path("leaf.pem"), certificates.path("leaf.key"),
      ])
      var request = try registration(at: backend.url)
      request.authorities = try certificates.text("ca.pem")
      #expect(ending(request) == .answered(201))
      #expect(try Directory(path: certificates.directory).contains("keys.log") == false)
    }
  }
}
