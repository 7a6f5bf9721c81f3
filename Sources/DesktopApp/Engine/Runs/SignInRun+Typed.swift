internal import SecretMemory
internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

// Sign-ins without a browser of this machine.
extension SignInRun {
  /// How long the engine's last request to the provider may take after the end of a code, in
  /// seconds.
  private static let slack: Int64 = 60

  func signIn(by password: SharedSecret, _ email: String) throws(Failure) -> VaultAccount {
    let (account, provider) = (request.account, request.newProvider)
    return try call(again: .never) { prompt in
      LoginCall(
        account: account,
        provider: provider,
        email: email,
        password: password,
        prompt: prompt,
        ask: true
      )
    }.account
  }

  func register(
    by password: SharedSecret,
    _ email: String,
    _ name: String?
  ) throws(Failure) -> VaultAccount {
    let (account, provider) = (request.account, request.named)
    return try call(again: .never) { prompt in
      RegisterCall(
        account: account,
        provider: provider,
        email: email,
        name: name,
        password: password,
        prompt: prompt,
        ask: true
      )
    }.account
  }

  func signInByCode() throws(Failure) -> VaultAccount {
    let begun = try begin(.device)
    guard let code = begun.userCode, (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw .vault(.malformed(.badValue("user_code"))) }
    tell(
      .code(
        SignInCode(
          text: code,
          page: try address(begun.verificationURI, "verification_uri"),
          whole: try begun.verificationURIComplete.map { text throws(Failure) in
            try address(text, "verification_uri_complete")
          },
          end: BootInstant.now.advanced(bySeconds: Int64(begun.expiresIn))
        )
      )
    )
    return try waitForConsent(begun)
  }

  private func waitForConsent(_ begun: BeginLoginReply) throws(Failure) -> VaultAccount {
    let limit = Int64(begun.expiresIn) + Self.slack
    var account: VaultAccount?
    do throws(VaultClientError) {
      try calls.run(again: .never, asking: asker) { connection, prompt throws(VaultClientError) in
        let call = AwaitLoginCall(login: begun.login, prompt: prompt, ask: true)
        try connection.stream(call, within: limit) { reply in
          if reply.event == .done { account = reply.account }
        }
      }
    } catch {
      throw .vault(error)
    }
    guard let account else { throw .vault(.disconnected) }
    return account
  }
}
