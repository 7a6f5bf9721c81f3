import Configuration
import Testing

private struct NoFile: Error {}

private func parse(_ text: String, ca: String? = nil) throws -> Provider {
  try ProviderFile.parse(
    text: text,
    name: ProviderName("dev"),
    file: "providers.d/dev.conf",
    readCA: { path in
      guard path == "dev.pem", let ca else { throw NoFile() }
      return ca
    }
  )
}

private let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

@Suite
struct ProviderFileTests {
  @Test
  func aFileIsRead() throws {
    let provider = try parse(
      "\u{FEFF}# mine\r\n\r\n[Provider]\r\n  kind=password-backend\r\n; note\r\n"
        + "issuer =  http://localhost:8000/ \r\nca = dev.pem\r\n",
      ca: certificate
    )
    #expect(provider.issuer.text == "http://localhost:8000")
    #expect(provider.certificateAuthority == certificate)
  }

  @Test(arguments: [
    ("[Provider]\nkind = password-backend\nissuer = x\n", 3, "issuer"),
    ("[Provider]\nkind = password-backend\n\n\nisuer = https://a.example\n", 1, "issuer"),
    ("[Provider]\nkind = password-backend\nissuer = https://a.example\ncolour = 1\n", 4, "colour"),
    ("[Provider]\nkind = password-backend\nkind = password-backend\n", 3, "kind"),
    ("[Provider]\nissuer = https://a.example\nkind = ldap\n", 3, "kind"),
    (
      "[Provider]\nkind = oidc\nissuer = https://a.example\nscope = openid\nclient_id=\n", 5,
      "client_id"
    ),
    ("[Provider]\nkind = password-backend\nissuer = https://a.example\nscope = a\n", 4, "scope"),
    ("[Provider]\nkind = password-backend\nissuer = https://a.example\nca = no.pem\n", 4, "ca"),
    ("[Provider]\nkind\n", 2, nil), ("kind = password-backend\n", 1, nil),
    ("[Provider]\n = x\n", 2, nil), ("[Provider\n", 1, nil), ("[]\n", 1, nil),
    ("[Provider]\n\n[Provider]\n", 3, nil), ("[Provider]\n[Other]\n", 2, nil),
    ("[Provider]\nkind = a\u{1B}[2J\n", 2, nil), ("[Provider]\nkind = a\0\n", 2, nil),
    ("[Provider]\nkind = \u{202E}x\n", 2, nil), ("", nil, nil), ("# only\n", nil, nil),
  ])
  func anErrorNamesFileLineAndKey(_ text: String, _ line: Int?, _ key: String?) throws {
    let error = try #require(#expect(throws: ConfigurationError.self) { try parse(text) })
    #expect(error.file == "providers.d/dev.conf")
    #expect(error.line == line)
    #expect(error.key == key)
    let place = line.map { "providers.d/dev.conf:\($0): " } ?? "providers.d/dev.conf: "
    #expect(error.description.hasPrefix(place))
    #expect(error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }

  @Test
  func aHugeFileIsRefusedUnread() throws {
    let text = "[Provider]\n" + String(repeating: "# filler\n", count: 100_000)
    let error = #expect(throws: ConfigurationError.self) { try parse(text) }
    #expect(error == ConfigurationError(.tooLarge(65_536), file: "providers.d/dev.conf"))
  }

  @Test
  func whatIsWrittenReadsBack() throws {
    let provider = try Provider(
      name: ProviderName("dev"),
      settings: [
        "kind": "password-backend", "issuer": "https://id.example.com", "ca": certificate,
        "refresh_path": "/r", "client_id": "a=b#c;d", "empty_refusal": "true",
      ]
    )
    let text = try ProviderFile.text(for: provider, certificateFile: "dev.pem")
    #expect(
      text == """
        [Provider]
        kind = password-backend
        issuer = https://id.example.com
        ca = dev.pem
        client_id = a=b#c;d
        empty_refusal = true
        refresh_path = /r

        """
    )
    #expect(try parse(text, ca: certificate) == provider)
    #expect(throws: ConfigurationError.self) { try ProviderFile.text(for: provider) }
    #expect(throws: ConfigurationError.self) {
      try ProviderFile.text(for: provider, certificateFile: "a\nissuer = https://evil.example")
    }
  }

  @Test
  func theFileNameGivesTheProvidersName() throws {
    #expect(ProviderFile.providerName(fileName: "dev.conf") == (try ProviderName("dev")))
    #expect(ProviderFile.fileName(for: try ProviderName("dev")) == "dev.conf")
    for name in ["dev.conf~", ".conf", "README", "Dev.conf", ".dev.conf.swp"] {
      #expect(ProviderFile.providerName(fileName: name) == nil)
    }
    let text = Array("[Provider]\nkind=password-backend\nissuer=https://a.example\n".utf8)
    let provider = try ProviderFile.parse(bytes: text, file: "/etc/x/work.conf") { $0 }
    #expect(provider.name.text == "work")
    #expect(throws: ConfigurationError.self) {
      try ProviderFile.parse(bytes: text + [0xFF], file: "/etc/x/work.conf") { $0 }
    }
  }
}
