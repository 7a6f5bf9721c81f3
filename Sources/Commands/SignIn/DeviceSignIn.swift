internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// A login in a browser of any machine, by a code that is shown here (RFC 8628).
struct DeviceSignIn {
  /// The longest that a code is waited for, in seconds.
  static let limit: Int64 = 900
  /// How much longer than its time the vault's last word on it is waited for, in seconds.
  static let slack: Int64 = 60

  /// Why nobody is signed in.
  enum Failure: Error {
    /// The provider gives this client no codes, or takes none from it, whatever its metadata says.
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
    else { throw CommandError(.unavailable, "\(signIn.place) gave a code that cannot be shown") }
    output.announce("To sign in at \(signIn.place), open this page on any device:")
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
        ? "A telephone finds the page by this picture:"
        : "A telephone finds the page by this picture, with the code in it. Compare the two:"
    )
    output.announce(lines: picture, painted: QRPicture.colours)
  }

  /// The code with room around it, so that it is found at a glance.
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
    var countdown = Countdown("waiting for \(signIn.place)", until: deadline, on: output)
    defer { output.clearStatus() }
    var interval = begun.interval ?? 0
    var questions = 0
    func wait(_ connection: Connection, _ prompt: String?) throws(VaultClientError) -> VaultAccount
    {
      let number = try connection.send(
        AwaitLoginCall(login: begun.login, prompt: prompt, ask: signIn.session.canAsk),
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
            "\(signIn.place) asks for patience: it is asked every \(longer) s from now on."
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
        // A provider that has said "not yet" takes codes: then it is something else that is wrong.
        throw failure.reason == .misconfigured && questions < 2
          ? .notOffered(failure) : .other(failure)
      case .other(let failure): throw .other(failure)
      }
    }
  }
}
