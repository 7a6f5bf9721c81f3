import System
import TestSupport
import Testing

/// The vault's socket, used by clients of Varlink that know nothing of the vault.
@Suite(.serialized)
struct VarlinkClientTests {
  /// Begins a Python program with a client of the socket.
  private static let client = """
    import json, sys, varlink
    client = varlink.Client("unix:" + sys.argv[1])
    vault = client.open("io.thumblatch.Vault")
    def refused(call):
        try:
            call()
        except varlink.VarlinkError as error:
            return error.error(), error.parameters()
        return "accepted"
    """

  private let person: Person
  private let tools: VarlinkTools

  init() throws {
    person = try Person()
    try person.register()
    try person.register("other")
    tools = try VarlinkTools(for: person)
  }

  /// Runs a Python program with the client.
  private func python(_ program: String) throws -> String {
    try person.shell(
      """
      \(tools.setting)
      /usr/bin/python3 - \(person.engineSocket) <<'END' 2>&1
      \(Self.client)
      \(program)
      END
      """
    ).succeeded()
  }

  private var description: String {
    get throws {
      let path = BuiltPrograms.sourceDirectory + "/Sources/Installed/usr/share/thumblatch"
      return try shell("cat \(path)/io.thumblatch.Vault.varlink")
    }
  }

  @Test
  func pythonReadsTheDescriptionAndGetsTokens() throws {
    let text = try python(
      """
      names = client.get_interfaces()
      assert names == ["org.varlink.service", "io.thumblatch.Vault"], names
      assert client.info["product"] == "thumblatchd", client.info
      service = client.open("org.varlink.service")
      assert service.GetInterfaceDescription("org.varlink.service")["description"]
      token = vault.AccessToken("me")
      assert token["account"] == "me" and token["token_type"] == "Bearer", token.keys()
      assert vault.AccessToken(account="me", minimum_lifetime=30, reason="x") == token
      # One reply for each account.
      print([reply["account"]["name"] for reply in vault.GetAccount(_more=True)])
      spaced = client.open("io.thumblatch.Vault", namespaced=True)
      print(spaced.GetStatus().form, spaced.GetAccount("other").account.email)
      sys.stdout.write(token["access_token"] + "\\n" + client.get_interface(names[1]).description)
      """
    )
    let token = try person.run("token", "me").succeeded()
    #expect(
      text == "['me', 'other']\nprivate other@example.org\n" + token + (try description),
      "\(text.prefix(200))"
    )
  }

  @Test
  func pythonSeesEachErrorWithItsParameters() throws {
    let terminal = try person.terminal("presence", "enable", "me")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    try terminal.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    try person.run("status").succeeded()
    let text = try python(
      """
      print(refused(lambda: vault.AccessToken("nobody")))
      print(refused(lambda: vault.AccessToken("../x")))
      print(refused(lambda: vault.GetAccount()))
      # With an argument by position, the package drops those by name.
      name, needed = refused(lambda: vault.AccessToken(account="me", ask=False))
      print(name, needed["purpose"], needed["account"], needed["prompt"] == "")
      name, needed = refused(lambda: vault.AccessToken("me"))
      name, failed = refused(lambda: vault.Check(needed["prompt"], "fingerprint"))
      print(name, failed)
      # The package does not check calls, so the engine sees the mistakes of a program.
      def send(method, parameters=None, **members):
          call = {"method": method, "parameters": parameters or {}, **members}
          vault._send_message(json.dumps(call).encode())
          return refused(vault._next_varlink_message)
      print(send("io.thumblatch.Vault.AccessToken", {"account": 7}))
      print(send("io.thumblatch.Vault.None"))
      print(send("io.example.X.Y"))
      print(refused(lambda: client.get_interface("io.example.X")))
      print(send("io.thumblatch.Vault.GetStatus", more=False, oneway=False, upgrade=False))
      """
    )
    let lines = text.split(separator: "\n").map(String.init)
    let vault = "io.thumblatch.Vault."
    let service = "org.varlink.service."
    try #require(lines.count == 10, "\(text)")
    #expect(lines[0] == "('\(vault)NoSuchAccount', {'account': 'nobody'})")
    #expect(lines[1].hasPrefix("('\(vault)InvalidArgument', {'message': "))
    #expect(lines[2].hasPrefix("('\(vault)InvalidArgument', {'message': "))
    #expect(lines[3] == "\(vault)PresenceNeeded refresh me True")
    #expect(lines[4].hasPrefix("\(vault)PresenceFailed {'outcome': "))
    #expect(lines[5] == "('\(service)InvalidParameter', {'parameter': 'account'})")
    #expect(lines[6] == "('\(service)MethodNotFound', {'method': '\(vault)None'})")
    #expect(lines[7] == "('\(service)MethodNotFound', {'method': 'io.example.X.Y'})")
    #expect(lines[8] == "('\(service)InterfaceNotFound', {'interface': 'io.example.X'})")
    #expect(lines[9] == "accepted")
  }

  /// Its command line, which sends `"more": false`.
  @Test
  func thePackagesOwnProgramWorks() throws {
    let text = try person.shell(
      """
      \(tools.setting)
      varlink() { /usr/bin/python3 -m varlink.cli "$@"; }
      varlink info unix:\(person.engineSocket)
      varlink help unix:\(person.engineSocket)/io.thumblatch.Vault | head -n 1
      varlink call -m unix:\(person.engineSocket)/io.thumblatch.Vault.GetAccount | grep '"name"'
      varlink call unix:\(person.engineSocket)/io.thumblatch.Vault.AccessToken '{"account":"me"}'
      varlink call unix:\(person.engineSocket)/io.thumblatch.Vault.AccessToken '{"account":"no"}' 2>&1
      """
    ).text
    #expect(text.contains("Vendor: Thumblatch"), "\(text)")
    #expect(text.contains("# The token vault of one user"), "\(text)")
    #expect(text.contains("\"name\": \"me\"") && text.contains("\"name\": \"other\""), "\(text)")
    #expect(text.contains("\"access_token\": \"at_"), "\(text)")
    #expect(text.contains("io.thumblatch.Vault.NoSuchAccount"), "\(text)")
  }

  @Test
  func varlinkctlWorks() throws {
    if !tools.hasControl { print("varlinkctl is not here: a driver sends what it sends") }
    let text = try person.shell(
      """
      \(tools.setting)
      varlinkctl info \(person.engineSocket) | grep -o 'io.thumblatch.Vault'
      varlinkctl introspect \(person.engineSocket) io.thumblatch.Vault | grep '^method AccessToken'
      varlinkctl call \(person.engineSocket) io.thumblatch.Vault.AccessToken '{"account":"me"}'
      varlinkctl call --more \(person.engineSocket) io.thumblatch.Vault.GetAccount '{}'
      varlinkctl call \(person.engineSocket) io.thumblatch.Vault.AccessToken '{"account":"no"}' 2>&1
      """
    ).text
    #expect(text.hasPrefix("io.thumblatch.Vault\nmethod AccessToken("), "\(text)")
    let token = try person.run("token", "me").succeeded().dropLast()
    #expect(text.contains(token) && text.contains("other@example.org"), "\(text)")
    #expect(text.contains("io.thumblatch.Vault.NoSuchAccount"), "\(text)")
  }
}
