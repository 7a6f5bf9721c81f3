import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// A type of an app with the same name as one of the library.
private struct User: Equatable {
  let name: String

  init(_ user: ThumblatchKit.User) {
    name = user.name ?? ""
  }
}

/// An app whose own types have names of the library.
struct NameTests {
  @Test
  func anAppWithAUserOfItsOwnNamesOursByTheModule() async throws {
    let vault = StubVault()
    vault.signIn(ThumblatchKit.User(name: "Ada", issuer: "https://id.test"))
    let session = ThumblatchKit.AuthSession(account: "me", vault: vault)
    try await session.restore()
    let ours: ThumblatchKit.User = try #require(session.currentUser)
    #expect(User(ours).name == "Ada")
  }
}
