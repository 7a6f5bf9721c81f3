internal import Configuration
internal import JSON
internal import System
internal import VaultClient
internal import VaultInterface

/// One run of one verb: its words, its output, the person's terminal, and the vault.
final class Session {
  let arguments: Arguments
  let output: Output
  /// Becomes readable at Ctrl-C.
  let interrupt: Int32?
  let environment: (String) -> String?
  /// The file mode mask that the process inherited.
  var inheritedMask: UInt32?
  /// The vault that is used; `nil` if it is not known.
  var location: VaultLocation?
  /// Whether the caller is root.
  var isRoot = ThisProcess.user == 0
  private let openTerminal: () -> Terminal?
  private let connect: () throws(VaultClientError) -> Connection
  private var terminalIfAny: Terminal??
  private var connection: Connection?
  fileprivate var reconnection = Reconnection()

  /// Collects the parts of a run; terminal and vault are opened at their first use.
  init(
    arguments: Arguments,
    output: Output,
    interrupt: Int32?,
    environment: @escaping (String) -> String?,
    openTerminal: @escaping () -> Terminal?,
    connect: @escaping () throws(VaultClientError) -> Connection
  ) {
    self.arguments = arguments
    self.output = output
    self.interrupt = interrupt
    self.environment = environment
    self.openTerminal = openTerminal
    self.connect = connect
  }

  // MARK: Words

  /// The first operand as an account's name; `nil` if none is given.
  func account() throws(CommandError) -> String? {
    guard let word = arguments.operands.first else { return nil }
    return try accountName(word)
  }

  /// An operand that must be an account's name.
  func accountName(_ word: String) throws(CommandError) -> String {
    do { return try AccountName(word).text } catch { throw CommandError(.usage, "\(error)") }
  }

  /// A provider's name.
  func providerName(_ word: String) throws(CommandError) -> ProviderName {
    do { return try ProviderName(word) } catch { throw CommandError(.usage, "\(error)") }
  }

  /// The value of an option as seconds.
  func duration(_ option: String) throws(CommandError) -> Int64? {
    guard let text = arguments.value(option) else { return nil }
    guard let seconds = Durations.parse(text) else {
      throw CommandError(
        .usage,
        "\(option) must be a duration with its unit, not \"\(text)\"",
        hint: "such as 90s, 15m, 2h or 1h30m"
      )
    }
    return seconds
  }

  // MARK: The person

  /// The terminal for a question.
  ///
  /// If the question cannot be asked, `question` names it in the error, and `instead` is the hint.
  func terminal(for question: String, instead: String? = nil) throws(CommandError) -> Terminal {
    try demandInput(for: question, instead: instead)
    guard let terminal = findTerminal() else {
      throw CommandError(
        .promptNeeded,
        "\(question) is needed, but there is no terminal",
        hint: instead ?? "run the command in the foreground of a terminal"
      )
    }
    return terminal
  }

  /// Fails with `--no-input`, for an action of the person that needs no terminal.
  func demandInput(for question: String, instead: String? = nil) throws(CommandError) {
    guard arguments.has("--no-input") else { return }
    throw CommandError(
      .promptNeeded,
      "\(question) is needed, but --no-input is given",
      hint: instead
    )
  }

  /// The person's terminal, if there is one; the output uses it from then on.
  @discardableResult
  func findTerminal() -> Terminal? {
    if terminalIfAny == nil {
      terminalIfAny = .some(openTerminal())
      if case .some(.some(let terminal)) = terminalIfAny { output.speak(through: terminal) }
    }
    return terminalIfAny ?? nil
  }

  // MARK: Results

  /// Shows one JSON object with `--json`, else text.
  ///
  /// Only the shown one is made.
  func show(
    _ object: @autoclosure () -> JSONObject,
    _ text: @autoclosure () -> String
  ) throws(CommandError) {
    guard output.json else { return try output.data(text()) }
    try output.data(object())
  }

  /// Shows one JSON object with `--json`, else a sentence on standard error.
  func report(
    _ object: @autoclosure () -> JSONObject,
    _ sentence: @autoclosure () -> String
  ) throws(CommandError) {
    guard output.json else { return output.talk(sentence()) }
    try output.data(object())
  }

  // MARK: The vault

  /// The connection to the vault, opened at the first call.
  func vault() throws(CommandError) -> Connection {
    do { return try openVault() } catch { throw CommandError(error) }
  }

  /// The same connection, with the client's own error.
  func openVault() throws(VaultClientError) -> Connection {
    if let connection { return connection }
    let opened = try connect()
    connection = opened
    return opened
  }

  /// Closes the connection, so that the engine cancels its work for this caller.
  func hangUp() {
    connection = nil
  }
}

// MARK: Calls

extension Session {
  /// The time limit for a call that needs no provider, in seconds.
  static let localLimit: Int64 = 30
  /// The time limit for a call that asks a provider, in seconds: an orphaned exchange (at most 67), an
  /// own one (at most 65), and the start of their helpers.
  static let remoteLimit: Int64 = 150

  /// Calls the vault, with a presence dialogue if the vault asks for one.
  ///
  /// `make` gets the prompt whose check has passed; `nil` at first.
  func call<Method: VarlinkMethod>(
    within seconds: Int64,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method
  ) throws(CommandError) -> Method.Reply {
    var result: Method.Reply?
    try stream(within: seconds, more: false, again: again, make) { result = $0 }
    guard let result else { throw CommandError(VaultClientError.disconnected, again) }
    return result
  }

  /// The same for a call that may need a check.
  ///
  /// The call says whether this program can show a prompt. If not, the engine opens none.
  func call<Method: AskingMethod>(
    within seconds: Int64,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method
  ) throws(CommandError) -> Method.Reply {
    var result: Method.Reply?
    try stream(within: seconds, more: false, again: again, make) { result = $0 }
    guard let result else { throw CommandError(VaultClientError.disconnected, again) }
    return result
  }

  /// Whether a prompt can be shown here.
  var canAsk: Bool { !arguments.has("--no-input") && findTerminal() != nil }

  /// Tells a person at a terminal why the call takes long.
  private func askPatience() {
    guard !output.json, (try? terminal(for: "")) != nil else { return }
    output.status("waiting for the provider")
  }

  /// The same for a call with several replies that may need a check.
  func stream<Method: AskingMethod>(
    within seconds: Int64,
    more: Bool = true,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method,
    each body: (Method.Reply) throws(VaultClientError) -> Void
  ) throws(CommandError) {
    let canAsk = canAsk
    try converse(within: seconds, more: more, again: again) { prompt in
      var call = make(prompt)
      call.ask = canAsk
      return call
    } each: { reply throws(VaultClientError) in
      try body(reply)
    }
  }

  /// Calls the vault for several replies.
  func stream<Method: VarlinkMethod>(
    within seconds: Int64,
    more: Bool = true,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method,
    each body: (Method.Reply) throws(VaultClientError) -> Void
  ) throws(CommandError) {
    try converse(within: seconds, more: more, again: again, make, each: body)
  }

  /// Calls the vault for several replies, with a presence dialogue if the vault asks for one.
  ///
  /// The vault may ask again if a joined waiter spent the proof. The number of prompts is limited.
  /// If the engine ends before it replies, `again` says whether the call is sent to the next one.
  private func converse<Method: VarlinkMethod>(
    within seconds: Int64,
    more: Bool,
    again: Repetition,
    _ make: (String?) -> Method,
    each body: (Method.Reply) throws(VaultClientError) -> Void
  ) throws(CommandError) {
    var prompt: String?
    var prompts = 0
    defer { output.clearStatus() }
    while prompts < 4 {
      var hasReply = false
      do throws(VaultClientError) {
        try openVault().stream(
          make(prompt),
          more: more,
          within: seconds,
          patience: seconds == Self.remoteLimit ? { self.askPatience() } : nil
        ) { reply throws(VaultClientError) in
          hasReply = true
          try body(reply)
        }
        return
      } catch .refused(.presenceNeeded(let request)) {
        try PresenceDialogue(request, in: self).run()
        prompt = request.prompt
        prompts += 1
      } catch .disconnected where !hasReply && mayRepeat(again, prompt) {
        hangUp()
        guard try waitForNextTry() else { throw CommandError(.disconnected as VaultClientError) }
        // The prompt ended with the engine that opened it.
        prompt = nil
      } catch {
        throw CommandError(error, again)
      }
    }
    throw CommandError(.presence, "the vault keeps asking for presence checks")
  }

  private func mayRepeat(_ again: Repetition, _ prompt: String?) -> Bool {
    switch again {
    case .never: false
    case .untilPrompted: prompt == nil
    case .always: true
    }
  }

  private func waitForNextTry() throws(CommandError) -> Bool {
    do throws(VaultClientError) {
      return try reconnection.waitForNextTry(interrupt: interrupt)
    } catch {
      throw CommandError(error)
    }
  }
}
