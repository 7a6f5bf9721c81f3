internal import Configuration
internal import Glibc
internal import LoopbackLogin
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// A login in a browser of this machine, which returns to a port here (RFC 8252).
struct BrowserSignIn {
  let signIn: WebSignIn
  let redirect: LoopbackRedirect

  private var session: Session { signIn.session }
  private var output: Output { session.output }

  func run() throws(CommandError) -> VaultAccount {
    let listener = try listen()
    let begun = try signIn.begin(.browser, redirect: redirect.url(port: listener.port))
    let url = try signIn.address(begun.url)
    let deadline = signIn.deadline(begun, most: WebSignIn.browserLimit)
    var browser = Browser(
      url,
      environment: session.environment,
      variables: ThisProcess.environmentEntries,
      mask: session.inheritedMask
    )
    var isStarted = browser.start()
    output.announce(
      isStarted
        ? "Your browser opens to sign in at \(signIn.providerName). If it does not, open this address:"
        : "No browser could be started. To sign in at \(signIn.providerName), open this address:"
    )
    output.announce(lines: [url])
    var countdown = Countdown("waiting for the browser", until: deadline, on: output)
    defer { output.clearStatus() }
    var told: Set<RedirectStray> = []
    let arrival: RedirectListener.Arrival?
    do throws(RedirectWaitError) {
      arrival = try listener.wait(
        for: url,
        interrupt: session.interrupt,
        until: deadline,
        tick: {
          if isStarted && !browser.look() {
            isStarted = false
            output.announce(
              "No browser could be started: open the address above by hand. For a browser on another "
                + "machine, use --paste."
            )
            countdown.again()
          }
          countdown.show()
          return true
        },
        stray: { stray in
          // Report each kind once, because any page can send any number of them.
          guard told.insert(stray).inserted else { return }
          output.announce(refusal(stray, port: listener.port))
          countdown.again()
        }
      )
    } catch {
      throw CommandError(error)
    }
    guard let arrival else { throw signIn.noRedirect }
    output.status("signing in")
    return try finish(begun.login, arrival)
  }

  private func refusal(_ stray: RedirectStray, port: UInt16) -> String {
    let what =
      switch stray {
      case .user: "Refused a request from a program of another user"
      case .host: "Refused a request to a host other than \(redirect.host):\(port)"
      case .path:
        "Refused a request to a path other than \(redirect.path.isEmpty ? "/" : redirect.path)"
      case .state: "Refused the answer to another login"
      }
    return "\(what). Still waiting for the redirect."
  }

  private func listen() throws(CommandError) -> RedirectListener {
    do throws(SystemError) {
      return try RedirectListener(at: redirect, for: .terminal)
    } catch {
      guard error.code == EADDRINUSE else {
        throw CommandError(.unavailable, "\(redirect.text) cannot be used: \(error)")
      }
      throw CommandError(
        .busy,
        "another program has the port that \(signIn.providerName) sends the browser to: "
          + redirect.text,
        hint: "end that program, or sign in with --paste"
      )
    }
  }

  /// Passes the answer to the engine, and the result to the waiting browser.
  private func finish(
    _ login: String,
    _ arrival: RedirectListener.Arrival
  ) throws(CommandError) -> VaultAccount {
    do throws(WebSignIn.Failure) {
      let account = try signIn.finish(login, arrival.query)
      show(signedIn(account), arrival)
      return account
    } catch {
      switch error {
      case .vault(let error):
        show(result(of: error), arrival)
        throw signIn.answered(error)
      case .other(let failure):
        show(.failed(reason: failure.message), arrival)
        throw failure
      }
    }
  }

  private func show(_ result: ResultPage.Result, _ arrival: RedirectListener.Arrival) {
    // An earlier interrupt must not prevent the page.
    arrival.connection.answer(
      ResultPage(result, for: .terminal).answer,
      interrupt: result == .interrupted ? nil : session.interrupt
    )
  }

  private func signedIn(_ account: VaultAccount) -> ResultPage.Result {
    let names = [account.displayName, account.email, account.subject]
      .compactMap { $0 }.filter { !$0.isEmpty }
    return .signedIn(
      person: names.first,
      also: account.displayName?.isEmpty == false ? account.email : nil,
      account: account.name,
      provider: account.provider
    )
  }

  private func result(of error: VaultClientError) -> ResultPage.Result {
    switch error {
    case .interrupted: .interrupted
    case .refused(.invalidArgument): .wrongState
    case .refused(.loginRequired): .expired
    case .refused(.providerRefused(_, let message, _, _)):
      .refused(provider: signIn.providerName, reason: message)
    default: .failed(reason: CommandError(error).message)
    }
  }
}

extension CommandError {
  /// The error that ends the wait for a redirect.
  fileprivate init(_ error: RedirectWaitError) {
    switch error {
    case .interrupted: self = .interrupted
    case .system(let error): self.init(.bug, "\(error)")
    }
  }
}
