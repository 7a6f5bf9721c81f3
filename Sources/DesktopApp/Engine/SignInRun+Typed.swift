internal import SecretMemory
internal import VaultClient
internal import VaultInterface

// Sign-ins without a browser of this machine.
extension SignInRun {
  func signIn(by password: SharedSecret, _ email: String) throws(Failure) -> VaultAccount {
    let (account, provider) = (request.account, request.named)
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
}
