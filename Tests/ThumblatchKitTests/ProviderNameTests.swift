import Testing
import ThumblatchKit

/// The name under which an app's provider is shown.
struct ProviderNameTests {
  @Test(arguments: [
    ("https://login.example.com", "login.example.com"),
    ("https://Login.Example.com/realms/main", "login.example.com"),
    ("https://login.example.com:8443", "login.example.com-8443"),
    ("http://localhost:8000", "localhost-8000"),
    ("http://[::1]:8000", "1--8000"),
  ])
  func itIsTheIssuersHost(_ issuer: String, _ name: String) throws {
    let backend = try AuthProvider.passwordBackend(issuer, environment: .development)
    #expect(backend.name == name)
    let provider = try AuthProvider.openID(issuer, clientID: "app", environment: .development)
    #expect(provider.name == name)
  }

  @Test
  func anAppMayNameItAndAHostThatIsTooLongIsCut() throws {
    #expect(try AuthProvider.passwordBackend("https://id.test", name: "acme").name == "acme")
    let label = String(repeating: "a", count: 60)
    let long = try AuthProvider.passwordBackend("https://\(label).\(label).test")
    #expect(long.name == "\(label).aaa")
    let failure = #expect(throws: AuthError.self) {
      try AuthProvider(settings: ["kind": "oidc", "client_id": "app"])
    }
    #expect(failure?.message.contains("issuer") == true)
  }
}
