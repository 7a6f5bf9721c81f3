internal import Configuration
internal import GTK
internal import LoopbackLogin
internal import PlainText
internal import SecretMemory
internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// What is asked for by a sign-in.
struct SignInRequest: Sendable {
  /// How the person proves who they are.
  enum Way: Sendable {
    /// In a browser of this machine.
    case browser
    /// With a code, in a browser of any machine.
    case code
    case password(SharedSecret, email: String)
    /// As a new user.
    case registration(SharedSecret, email: String, name: String?)
  }

  let account: String
  let provider: Provider
  let way: Way
  /// Whether the account keeps the provider that it has.
  let isAgain: Bool

  /// The provider in the words of the vault; `nil` for that of the account.
  var newProvider: VaultProvider? { isAgain ? nil : named }

  /// The provider in the words of the vault.
  var named: VaultProvider { VaultProvider(provider) }
}

/// What a sign-in tells while it runs.
enum SignInEvent: Sendable {
  /// The person signs in at this address.
  case page(String)
  /// The person types this code elsewhere.
  case code(SignInCode)
  /// An answer was not trusted, for this reason; the wait goes on.
  case refused(String)
  /// The browser has brought the answer.
  case arrived
}

/// A code that the person types on another device (RFC 8628).
struct SignInCode: Sendable {
  let text: String
  /// The address of the page where it is typed.
  let page: String
  /// The same address with the code in it.
  let whole: String?
  /// When the code ends.
  let end: BootInstant
}

/// How a sign-in ended.
enum SignInOutcome: Sendable {
  case signedIn(VaultAccount)
  case failed(Trouble)
  case refused(VaultClientError)
}

/// A sign-in on its thread.
struct SignInRun {
  /// The most time to wait for a browser, in seconds.
  private static let browserLimit: Int64 = 300
  /// How long a call may take that waits for a provider, in seconds.
  static let providerLimit: Int64 = 150

  let request: SignInRequest
  let calls: VaultCalls
  let asker: PresenceAsker
  let wake: SharedWake
  let tell: @Sendable (SignInEvent) -> Void

  private var interrupt: Int32 { wake.event.descriptor.number }

  func run() -> SignInOutcome {
    do throws(Failure) {
      switch request.way {
      case .browser: return .signedIn(try signInByBrowser())
      case .code: return .signedIn(try signInByCode())
      case .password(let password, let email):
        return .signedIn(try signIn(by: password, email))
      case .registration(let password, let email, let name):
        return .signedIn(try register(by: password, email, name))
      }
    } catch {
      switch error {
      case .trouble(let trouble): return .failed(trouble)
      case .vault(let error): return .refused(error)
      }
    }
  }

  enum Failure: Error {
    case trouble(Trouble)
    case vault(VaultClientError)
  }

  func call<Method: AskingMethod>(
    again: Repetition,
    _ make: @escaping (String?) -> Method
  ) throws(Failure) -> Method.Reply {
    do throws(VaultClientError) {
      return try calls.run(again: again, asking: asker) {
        connection,
        prompt
          throws(VaultClientError) in
        try connection.call(make(prompt), within: Self.providerLimit)
      }
    } catch {
      throw .vault(error)
    }
  }

  func begin(_ flow: LoginFlow, redirect: String? = nil) throws(Failure) -> BeginLoginReply {
    let (account, provider) = (request.account, request.newProvider)
    return try call(again: .untilPrompted) { prompt in
      BeginLoginCall(
        account: account,
        provider: provider,
        flow: flow,
        redirect: redirect,
        prompt: prompt,
        ask: true
      )
    }
  }

  /// An address from the vault, checked before it is opened or shown.
  ///
  /// The engine sends no other one. `member` is its place in the message.
  func address(_ text: String?, _ member: String) throws(Failure) -> String {
    guard let text, text.utf8.count <= 8192,
      ["https://", "http://"].contains(where: { text.hasPrefix($0) }),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .vault(.malformed(.badValue(member))) }
    return text
  }

  static let tooLate = Trouble(
    tr("the sign-in took too long; nothing was changed"),
    advice: tr("try again")
  )

  // MARK: By a browser of this machine (RFC 8252)

  private func signInByBrowser() throws(Failure) -> VaultAccount {
    let redirect = request.provider.oauth?.redirect ?? .standard
    let listener = try listen(at: redirect)
    let begun = try begin(.browser, redirect: redirect.url(port: listener.port))
    let url = try address(begun.url, "url")
    tell(.page(url))
    let arrival = try wait(listener, for: url, seconds: Int64(begun.expiresIn))
    tell(.arrived)
    do throws(Failure) {
      let (login, query) = (begun.login, arrival.query)
      let account = try call(again: .never) { prompt in
        FinishLoginCall(login: login, query: query, prompt: prompt, ask: true)
      }.account
      show(Self.page(for: account), arrival)
      return account
    } catch {
      show(page(for: error), arrival)
      throw error
    }
  }

  private func listen(at redirect: LoopbackRedirect) throws(Failure) -> RedirectListener {
    do throws(SystemError) {
      return try RedirectListener(at: redirect, for: .app)
    } catch {
      guard error.isAddressTaken else {
        let failure = Clause("\(redirect.text): \(error)", .name)
        throw .trouble(Trouble(failure, advice: tr("try again")))
      }
      throw .trouble(
        Trouble(
          tr("another program has the port that the browser is sent to: %s", redirect.text),
          advice: tr("end that program, and try again")
        )
      )
    }
  }

  private func wait(
    _ listener: RedirectListener,
    for url: String,
    seconds: Int64
  ) throws(Failure) -> RedirectListener.Arrival {
    var told: Set<RedirectStray> = []
    let arrival: RedirectListener.Arrival?
    do throws(RedirectWaitError) {
      arrival = try listener.wait(
        for: url,
        interrupt: interrupt,
        until: BootInstant.now.advanced(bySeconds: min(max(seconds, 1), Self.browserLimit)),
        stray: { stray in
          // Any page can send any number of them.
          guard told.insert(stray).inserted else { return }
          tell(.refused(Self.reason(stray)))
        }
      )
    } catch {
      switch error {
      case .interrupted: throw .vault(.interrupted)
      case .system(let error): throw .vault(.system(error))
      }
    }
    guard let arrival else { throw .trouble(Self.tooLate) }
    return arrival
  }

  static func reason(_ stray: RedirectStray) -> String {
    switch stray {
    case .user: tr("an answer of another user's program was refused")
    case .host: tr("an answer for another host was refused")
    case .path: tr("an answer for another path was refused")
    case .state: tr("the answer to another sign-in was refused")
    }
  }

  private func show(_ result: ResultPage.Result, _ arrival: RedirectListener.Arrival) {
    arrival.connection.answer(
      ResultPage(result, for: .app).answer,
      interrupt: result == .interrupted ? nil : interrupt
    )
  }

  private static func page(for account: VaultAccount) -> ResultPage.Result {
    let names = [account.displayName, account.email, account.subject]
      .compactMap(\.self).filter { !$0.isEmpty }
    return .signedIn(
      person: names.first,
      also: account.displayName?.isEmpty == false ? account.email : nil,
      account: account.name,
      provider: account.provider
    )
  }

  private func page(for failure: Failure) -> ResultPage.Result {
    switch failure {
    case .trouble(let trouble): .failed(reason: trouble.text)
    case .vault(.interrupted): .interrupted
    case .vault(.refused(.invalidArgument)): .wrongState
    case .vault(.refused(.loginRequired)): .expired
    case .vault(.refused(.providerRefused(_, let message, _, _))):
      .refused(provider: request.provider.name.text, reason: message)
    // Not translated: the page in the browser is English.
    case .vault(let error): .failed(reason: Trouble(error)?.text ?? "The check was denied.")
    }
  }
}

extension VaultLink {
  /// Signs in on a thread of its own; the wake event ends it.
  func signIn(
    _ request: SignInRequest,
    until wake: SharedWake,
    tell: @escaping @Sendable (SignInEvent) -> Void
  ) async -> SignInOutcome {
    do throws(VaultClientError) {
      return try await onThread(interrupt: wake) { [desk] calls throws(VaultClientError) in
        SignInRun(request: request, calls: calls, asker: desk.asker, wake: wake, tell: tell).run()
      }
    } catch {
      return .refused(error)
    }
  }
}
