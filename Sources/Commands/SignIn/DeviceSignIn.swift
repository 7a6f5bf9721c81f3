internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// A login in a browser of any machine, by a code that is shown here (RFC 8628).
struct DeviceSignIn {
  /// The most time to wait for a code, in seconds.
  static let limit: Int64 = 900
  /// The extra time for the vault's last answer after that, in seconds.
  static let slack: Int64 = 60

  /// The reason why the sign-in failed.
  enum Failure: Error {
    /// The provider gives this client no code, even if its metadata offers codes.
    case notOffered(CommandError)
    case other(CommandError)
  }

  let signIn: WebSignIn

  private var session: Session { signIn.session }
  private var output: Output { session.output }

  func run() throws(Failure) -> VaultAccount {
    let begun: BeginLoginReply
    do throws(CommandError) {
      begun = try signIn.begin(.device)
    } catch {
      throw error.reason == .misconfigured ? .notOffered(error) : .other(error)
    }
    let deadline = signIn.deadline(begun, most: Self.limit)
    do throws(CommandError) { try show(begun) } catch { throw .other(error) }
    return try wait(begun, until: deadline)
  }

  private func show(_ begun: BeginLoginReply) throws(CommandError) {
    let page = try signIn.address(begun.verificationURI)
    let whole = try begun.verificationURIComplete.map { text throws(CommandError) in
      try signIn.address(text)
    }
    guard let code = begun.userCode, (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else {
      throw CommandError(.unavailable, "\(signIn.providerName) gave a code that cannot be shown")
    }
    output.announce("To sign in at \(signIn.providerName), open this page on any device:")
    output.announce(lines: ["    \(page)"])
    output.announce("and enter this code:")
    output.announce(lines: framed(code), painted: "1")
    let picture = QRPicture.lines(
      of: whole ?? page,
      columns: output.pictureColumns,
      environment: session.environment
    )
    guard let picture else { return }
    output.announce(
      whole == nil
        ? "Or scan this picture with a phone:"
        : "Or scan this picture with a phone, and compare the code that it shows:"
    )
    output.announce(lines: picture, painted: QRPicture.colours)
  }

  /// The code in a frame, so that it is easy to find.
  private func framed(_ code: String) -> [String] {
    guard QRPicture.isUnicode(session.environment) else { return ["    \(code)"] }
    let line = String(repeating: "━", count: code.utf8.count + 6)
    return ["    ┏\(line)┓", "    ┃   \(code)   ┃", "    ┗\(line)┛"]
  }

  /// Waits while the engine asks the provider.
  private func wait(
    _ begun: BeginLoginReply,
    until deadline: BootInstant
  ) throws(Failure) -> VaultAccount {
    var countdown = Countdown("waiting for \(signIn.providerName)", until: deadline, on: output)
    defer { output.clearStatus() }
    var interval = begun.interval ?? 0
    var questions = 0
    func wait(_ connection: Connection, _ prompt: String?) throws(VaultClientError) -> VaultAccount
    {
      let number = try connection.send(
        AwaitLoginCall(login: begun.login, prompt: prompt, ask: signIn.session.saysCanAsk),
        more: true
      )
      while true {
        countdown.show()
        guard BootInstant.now < deadline.advanced(bySeconds: Self.slack) else { throw .timedOut }
        let event = try connection.next(deadline: BootInstant.now.advanced(bySeconds: 1))
        guard case .reply(let reply, of: number) = event else { continue }
        let answer = try Connection.result(of: reply, to: AwaitLoginCall.self)
        if answer.event == .done, let account = answer.account { return account }
        guard reply.continues else { throw .malformed(.otherMethod) }
        questions += 1
        if let longer = answer.interval, longer > interval {
          interval = longer
          output.announce(
            "\(signIn.providerName) asks for fewer requests: the next ones are \(longer) seconds apart."
          )
          countdown.again()
        }
      }
    }
    do throws(WebSignIn.Failure) {
      return try signIn.asking(wait)
    } catch {
      switch error {
      case .vault(let error):
        let failure = signIn.finished(error)
        // A provider that answered "not yet" gives codes, so the error has another cause.
        throw failure.reason == .misconfigured && questions < 2
          ? .notOffered(failure) : .other(failure)
      case .other(let failure): throw .other(failure)
      }
    }
  }
}
