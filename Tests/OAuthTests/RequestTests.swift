import Configuration
import OAuth
import SecretMemory
import Testing

func backend(_ settings: [String: String] = [:]) throws -> PasswordBackend {
  let base = ["kind": "password-backend", "issuer": "https://id.example.com/v1/"]
  return PasswordBackend(
    provider: try Provider(name: ProviderName("dev"), settings: base.merging(settings) { $1 })
  )
}

func client(_ settings: [String: String] = [:]) throws -> ProviderClient {
  ProviderClient(provider: try backend(settings).provider)
}

func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: Array(text.utf8)) }

func text(_ secret: SharedSecret?) -> String? {
  secret.map { shared in
    unsafe shared.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

private let postHeaders = ["Content-Type: application/json", "Accept: application/json"]

@Suite
struct RequestTests {
  @Test
  func refreshIsTheseBytesEachTime() throws {
    for _ in 0..<3 {
      let request = try backend().refresh(secret("rt-1/+\"\\"))
      #expect(request.method == "POST")
      #expect(request.url == "https://id.example.com/v1/auth/refresh")
      #expect(request.headers == postHeaders)
      #expect(text(request.body) == #"{"refresh_token":"rt-1/+\"\\"}"#)
    }
  }

  @Test
  func loginIsTheseBytes() throws {
    let request = try backend().login(email: "me@example.com", password: secret("pä\n\"s"))
    #expect(request.method == "POST")
    #expect(request.url == "https://id.example.com/v1/auth/login")
    #expect(request.headers == postHeaders)
    #expect(text(request.body) == #"{"email":"me@example.com","password":"pä\n\"s"}"#)
  }

  @Test
  func registrationIsTheseBytes() throws {
    let named = try backend().register(email: "a@b", name: "Ann", password: secret("p"))
    #expect(named.url == "https://id.example.com/v1/auth/register")
    #expect(named.headers == postHeaders)
    #expect(text(named.body) == #"{"email":"a@b","password":"p","name":"Ann"}"#)
    let nameless = try backend().register(email: "a@b", name: nil, password: secret("p"))
    #expect(text(nameless.body) == #"{"email":"a@b","password":"p"}"#)
  }

  @Test
  func pathsAndFieldNamesAreTheProviders() throws {
    let backend = try backend([
      "refresh_path": "/token/refresh/", "refresh_token_field": "refresh",
      "register_password_field": "password1", "register_password_repeated_field": "password2",
      "email_field": "mail", "password_field": "pw",
    ])
    let refresh = try backend.refresh(secret("r"))
    #expect(refresh.url == "https://id.example.com/v1/token/refresh/")
    #expect(text(refresh.body) == #"{"refresh":"r"}"#)
    let login = try backend.login(email: "a@b", password: secret("p"))
    #expect(text(login.body) == #"{"mail":"a@b","pw":"p"}"#)
    let register = try backend.register(email: "a@b", name: nil, password: secret("p"))
    #expect(text(register.body) == #"{"mail":"a@b","password1":"p","password2":"p"}"#)
  }

  @Test
  func questionsCarryTheAccessTokenAndNothingElse() throws {
    let backend = try backend()
    for (request, path) in [
      (try backend.profile(accessToken: "at"), "/auth/me"),
      (try backend.profileFallback(accessToken: "at"), "/user/profile"),
      (try backend.verify(accessToken: "at"), "/auth/verify"),
    ] {
      #expect(request.method == "GET")
      #expect(request.url == "https://id.example.com/v1" + path)
      #expect(request.headers == ["Accept: application/json", "Authorization: Bearer at"])
      #expect(request.body == nil)
    }
  }

  @Test
  func logoutCarriesWhatThereIs() throws {
    let backend = try backend()
    let both = try backend.logout(accessToken: "at", refreshToken: SharedSecret(secret("rt")))
    #expect(both.method == "POST")
    #expect(both.url == "https://id.example.com/v1/auth/logout")
    #expect(both.headers == postHeaders + ["Authorization: Bearer at"])
    #expect(text(both.body) == #"{"refresh_token":"rt"}"#)
    let one = try backend.logout(accessToken: "at", refreshToken: nil)
    #expect(one.headers == ["Accept: application/json", "Authorization: Bearer at"])
    #expect(one.body == nil)
  }

  @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "a\0", "ä", String(repeating: "a", count: 40_000)])
  func anAccessTokenThatIsNoHeaderIsNotSent(_ token: String) throws {
    let backend = try backend()
    #expect(throws: OAuthError.self) { try backend.profile(accessToken: token) }
    #expect(throws: OAuthError.self) { try backend.verify(accessToken: token) }
    #expect(throws: OAuthError.self) {
      try backend.logout(accessToken: token, refreshToken: nil)
    }
  }

  @Test
  func whatCannotBeSentIsRefusedWithoutQuotingIt() throws {
    let backend = try backend()
    for email in ["", "a\nb", String(repeating: "hunter2", count: 100)] {
      let error = #expect(throws: OAuthError.self) {
        try backend.login(email: email, password: secret("p"))
      }
      #expect(try !#require(error).description.contains("hunter2"))
    }
    #expect(throws: OAuthError.self) { try backend.login(email: "a@b", password: secret("")) }
    #expect(throws: OAuthError.self) {
      try backend.login(email: "a@b", password: secret(String(repeating: "p", count: 4097)))
    }
    #expect(throws: OAuthError.self) {
      try backend.login(email: "a@b", password: SecretBytes(copying: [0xFF, 0xFE]))
    }
    #expect(throws: OAuthError.self) {
      try backend.register(email: "a@b", name: "a\u{1B}", password: secret("p"))
    }
    #expect(throws: OAuthError.self) { try backend.refresh(secret("")) }
    #expect(throws: OAuthError.self) {
      try backend.refresh(secret(String(repeating: "r", count: 16_385)))
    }
  }
}
