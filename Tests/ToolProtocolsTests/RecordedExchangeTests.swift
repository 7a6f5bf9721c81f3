import Testing

@testable import ToolProtocols

/// Exchanges with docker, kubectl, cargo, Bazel and Terraform, as their specifications show them.
struct RecordedExchangeTests {
  private static let token = ToolToken("at_1", expiresAt: 1_763_717_400)
  private static let lasting = ToolToken("at_1", expiresAt: nil)

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - docker

  @Test(arguments: [
    ("https://index.docker.io/v1/", "https://index.docker.io/v1/"),
    ("registry.example.org\n", "registry.example.org"), (" localhost:5000 \r\n", "localhost:5000"),
  ])
  func dockerNamesARegistry(_ request: String, _ server: String) throws {
    #expect(try DockerCredential.server(Array(request.utf8)) == server)
    #expect(
      text(DockerCredential.answer(Self.token, server: server, username: "u"))
        == #"{"ServerURL":"\#(server)","Username":"u","Secret":"at_1"}"# + "\n"
    )
  }

  @Test
  func aRegistryWithoutASchemeMayBePlainOnThisMachine() {
    #expect(DockerCredential.urls(of: "a:5000") == ["https://a:5000", "http://a:5000"])
    #expect(DockerCredential.urls(of: "https://a/v1/") == ["https://a/v1/"])
  }

  @Test(arguments: [
    ("https://index.docker.io/v1/access-token", true), ("index.docker.io/v1/refresh-token", true),
    ("https://INDEX.docker.io:443/v1/refresh-token", true), ("https://index.docker.io/v1/", false),
    ("https://a.org/v1/access-token", false), ("index.docker.io", false),
    ("https://index.docker.io@a.org/v1/access-token", false), ("/v1/access-token", false),
  ])
  func aWebLoginOfDockerHubStoresMoreThanOneSecret(_ server: String, _ isOfWebLogin: Bool) throws {
    #expect(DockerCredential.isOfWebLogin(server) == isOfWebLogin)
    if isOfWebLogin { #expect(try !ToolQuery.docker(Array(server.utf8)).hasHost) }
  }

  @Test
  func dockerStoresWithServerAndUserName() throws {
    let store = #"{"ServerURL":"https://a.org","Username":"ada","Secret":"hunter2"}"#
    let stored = try DockerCredential.stored(Array(store.utf8))
    #expect(stored.server == "https://a.org")
    #expect(stored.secret == ToolSecret("hunter2", username: "ada"))
    let identity = #"{"ServerURL":"a.org","Username":"<token>","Secret":"ey.J.x"}"#
    #expect(try DockerCredential.stored(Array(identity.utf8)).secret.username == "<token>")
    for (request, problem) in [
      ("{}", "no credentials server URL"), (#"{"ServerURL":"a"}"#, "no credentials username"),
      (#"{"ServerURL":"a","Username":"u"}"#, "no credentials secret"),
      (#"{"ServerURL":1,"Username":"hunter2"}"#, "`ServerURL` is of the wrong type"),
    ] {
      let error = #expect(throws: ToolRequestError.self) {
        try DockerCredential.stored(Array(request.utf8))
      }
      #expect(error?.description.hasSuffix(problem) == true)
    }
  }

  @Test
  func dockerListsAddressesWithUserNames() {
    #expect(text(DockerCredential.list([])) == "{}\n")
    #expect(
      text(DockerCredential.list([("index.docker.io", "a"), ("b.org:5000", "c")]))
        == #"{"https://index.docker.io/v1/":"a","b.org:5000":"c"}"# + "\n"
    )
    #expect(
      text(DockerCredential.version("0.1")) == "docker-credential-thumblatch (thumblatch) 0.1\n"
    )
  }

  @Test(arguments: [
    [], Array(" \n".utf8), [0], [0xFF], Array("a b".utf8),
    Array(String(repeating: "a", count: 8193).utf8),
  ])
  func dockerWithoutOneAddressIsAnError(_ request: [UInt8]) {
    #expect(throws: ToolRequestError.self) { try DockerCredential.server(request) }
  }

  // MARK: - kubectl

  @Test(arguments: ["v1", "v1beta1"])
  func kubectlGetsTheVersionThatItAsksFor(_ version: String) throws {
    let request =
      #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","#
      + #""spec":{"interactive":true,"cluster":{"server":"https://k8s","config":null}}}"#
    let credential = try KubeCredential(request)
    #expect(
      text(credential.answer(Self.token))
        == #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","#
        + #""status":{"expirationTimestamp":"2025-11-21T09:30:00Z","token":"at_1"}}"# + "\n"
    )
  }

  @Test
  func aClientWithoutARequestGetsTheNewestVersion() throws {
    for request in [nil, ""] {
      #expect(
        text(try KubeCredential(request).answer(Self.lasting))
          == #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","#
          + #""status":{"token":"at_1"}}"# + "\n"
      )
    }
  }

  @Test(arguments: [
    "{}", "x", "[]", #"{"kind":"ExecCredential"}"#,
    #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#,
    #"{"kind":"Pod","apiVersion":"client.authentication.k8s.io/v1"}"#,
    #"{"kind":"ExecCredential","apiVersion":1}"#, String(repeating: " ", count: 1 << 21),
  ])
  func anotherRequestOfKubernetesIsAnError(_ request: String) {
    #expect(throws: ToolRequestError.self) { try KubeCredential(request) }
  }

  // MARK: - cargo

  @Test
  func cargoReadsAndPublishes() throws {
    let read =
      #"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"#
      + #""sparse+https://registry-url/index/","name":"my-registry"},"args":[]}"#
    let credential = try CargoCredential(Array(read.utf8))
    #expect(credential.kind == .get && credential.url == "https://registry-url/index/")
    #expect(
      text(credential.answer(Self.token))
        == #"{"Ok":{"kind":"get","token":"Bearer at_1","cache":"expires","expiration":1763717400,"#
        + #""operation_independent":true}}"# + "\n"
    )
    let publish =
      #"{"v":1,"kind":"get","operation":"publish","name":"sample","vers":"0.1.0","cksum":"00","#
      + #""registry":{"index-url":"sparse+https://r.org/git"},"args":["--raw"]}"#
    let raw = try CargoCredential(Array(publish.utf8))
    #expect(raw.url == "https://r.org/git")
    #expect(
      text(raw.answer(Self.lasting))
        == #"{"Ok":{"kind":"get","token":"at_1","cache":"session","operation_independent":true}}"#
        + "\n"
    )
  }

  /// The owner of a repository writes where its index sends the token.
  @Test(arguments: [
    ("https://github.com/someone/index", nil), ("registry+https://git.example.org/index", nil),
    ("ssh://git@example.org/index", nil), ("sparse+https://r.org/", "https://r.org/"),
    ("https://github.com/rust-lang/crates.io-index", "https://crates.io/"),
    ("sparse+https://index.crates.io/", "https://crates.io/"),
    ("https://github.com/rust-lang/crates.io-index/", nil),
  ])
  func onlyASparseIndexOfCargoNamesAHost(_ index: String, _ expected: String?) throws {
    let request = #"{"v":1,"kind":"get","registry":{"index-url":"\#(index)"}}"#
    #expect(try CargoCredential(Array(request.utf8)).url == expected)
  }

  @Test
  func aSecretOfCargoWithASchemeOfItsOwnStaysAsItIs() throws {
    let request = #"{"v":1,"kind":"get","registry":{"index-url":"sparse+https://r.org/"}}"#
    let answer = try CargoCredential(Array(request.utf8)).answer(
      ToolToken("Token abc", expiresAt: nil)
    )
    #expect(text(answer).contains(#""token":"Token abc""#))
  }

  @Test(arguments: [
    ("login", CargoCredential.Kind.login), ("logout", .logout), ("later", nil),
  ])
  func cargoAsksForMore(_ kind: String, _ expected: CargoCredential.Kind?) throws {
    let request = #"{"v":1,"kind":"\#(kind)","registry":{"index-url":"https://r.org"},"token":"t"}"#
    #expect(try CargoCredential(Array(request.utf8)).kind == expected)
  }

  @Test(arguments: [
    "", "{}", "null", #"{"v":2,"kind":"get","registry":{"index-url":"https://r.org"}}"#,
    #"{"v":1,"kind":"get","registry":{}}"#, #"{"v":1,"registry":{"index-url":"https://r.org"}}"#,
    #"{"v":1,"kind":"get","registry":{"index-url":"https://r.org"},"args":"--raw"}"#,
    #"{"v":1,"kind":"get","registry":"#, String(repeating: "[", count: 1 << 20),
  ])
  func anotherRequestOfCargoIsAnError(_ request: String) {
    #expect(throws: ToolRequestError.self) { try CargoCredential(Array(request.utf8)) }
  }

  @Test
  func cargoIsToldWhyThereIsNoToken() {
    #expect(text(CargoCredential.hello) == "{\"v\":[1]}\n")
    #expect(
      text(CargoCredential.answer(.urlNotSupported, "a \"b\""))
        == #"{"Err":{"kind":"url-not-supported","message":"a \"b\"","caused-by":[]}}"# + "\n"
    )
  }

  // MARK: - Bazel and uv

  @Test(arguments: [
    ("https://api.example.org/rest/endpoint", "https://api.example.org/rest/endpoint"),
    (
      "grpcs://example.com/com.example.Service/Method",
      "https://example.com/com.example.Service/Method"
    ),
    ("grpc://localhost:8980", "http://localhost:8980"),
  ])
  func bazelNamesAURL(_ uri: String, _ url: String) throws {
    let credential = try BazelCredential(Array(#"{"uri":"\#(uri)","x":1}"#.utf8))
    #expect(credential.url == url)
    #expect(
      text(credential.answer(Self.token))
        == #"{"headers":{"Authorization":["Bearer at_1"]},"expires":"2025-11-21T09:30:00Z"}"# + "\n"
    )
    #expect(
      text(credential.answer(Self.lasting))
        == #"{"headers":{"Authorization":["Bearer at_1"]}}"# + "\n"
    )
  }

  @Test(arguments: ["", "{}", #"{"uri":1}"#, #"{"url":"https://a.org"}"#, "{\"uri\":\"a\u{0}\"}"])
  func anotherRequestOfBazelIsAnError(_ request: String) {
    #expect(throws: ToolRequestError.self) { try BazelCredential(Array(request.utf8)) }
  }

  // MARK: - Terraform

  @Test
  func terraformGetsATokenOrAnEmptyObject() {
    #expect(text(TerraformCredential.answer(Self.token)) == "{\"token\":\"at_1\"}\n")
    #expect(text(TerraformCredential.answer(nil)) == "{}\n")
  }

  /// Terraform expects each member back.
  @Test(arguments: [
    #","a":"b""#, #","a":[1]"#, #","a":{"b":1}"#, #","a":null"#,
    #","\#(String(repeating: "a", count: 200))":1"#,
  ])
  func terraformStoresNothingBesideAToken(_ more: String) throws {
    #expect(try TerraformCredential.stored(Array(#"{"token":"t"}"#.utf8)) == ToolSecret("t"))
    #expect(throws: ToolRequestError.self) {
      try TerraformCredential.stored(Array(#"{"token":"t"\#(more)}"#.utf8))
    }
  }
}
