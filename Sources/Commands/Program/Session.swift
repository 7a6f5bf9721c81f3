internal import Configuration
internal import DesktopPrompt
internal import HelperInterface
internal import JSON
internal import PlainText
internal import System
internal import TerminalIO
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// One run of one verb: its words, its voice, the person's terminal, and the vault.
final class Session {
  private(set) var arguments: Arguments
  let output: Output
  /// Becomes readable at Ctrl-C.
  let interrupt: Int32?
  let environment: (String) -> String?
  /// The descriptor of the requests of other tools.
  var standardInput: Int32 = 0
  /// The umask that the process started with.
  var inheritedMask: UInt32?
  /// The vault that is used; `nil` if it is not known.
  var location: VaultLocation?
  /// Whether the caller is root.
  var isRoot = ThisProcess.user == 0
  /// Whether the kernel lists HID devices to each user, and none is a security key.
  var lacksSecurityKey: () -> Bool = { false }
  /// Finds the person's desktop, for a program without a terminal; `nil` if prompts are shown at a
  /// terminal only.
  var openDesktop: (() throws(DesktopError) -> Desktop)?
  var desktopIfAny: Result<Desktop, DesktopError>?
  /// Whether `setup` has already shown the first steps at the provider.
  var isGuided = false
  /// Sends a request without a token through a helper of this program's own; the descriptors are
  /// those of what is sent and of the answer.
  var transmit: (HelperRequestCall, Int32?, Int32) throws(VaultClientError) -> HelperRequestReply
  /// Replaces this process by a command with a token; `nil` if that is not possible.
  var launch: ((CommandLaunch, String) throws(CommandError) -> Void)?
  /// The words of the command after `--`, byte for byte.
  var commandWords: [[UInt8]]
  private let openTerminal: () -> Terminal?
  private var terminalIfAny: Terminal??
  /// The calls of this run to the vault.
  let calls: VaultCalls
  /// The calls to the person's own vault, if the run moves accounts between it and the service.
  var privateCalls: VaultCalls
  /// Why a presence check could not be led.
  var failure: CommandError?
  /// The PIN that the last failed call asked for (`SecurityKeyText.wanted`); `nil` if it asked for
  /// none.
  var wantedPIN: String?

  /// Collects the parts of a run; terminal and vault are opened when first wanted.
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
    commandWords = arguments.command.map { Array($0.utf8) }
    transmit = { call, input, output throws(VaultClientError) in
      try RequestExchangeHelper(interrupt: interrupt).perform(call, input: input, output: output)
    }
    calls = VaultCalls(interrupt: interrupt, connect: connect)
    privateCalls = calls
    output.commands = CommandText(arguments, environment: environment)
  }

  /// Runs another verb in this session, with words as a person would type them.
  func run(_ words: [String]) throws(CommandError) {
    let outer = arguments
    defer { arguments = outer }
    guard case .run(let inner) = try Arguments.parse(words, verbs: Program.verbs) else {
      throw CommandError(.bug, "unknown verb: \(words.first ?? "")")
    }
    arguments = inner
    try inner.verb.run(self)
  }

  // MARK: Words

  /// The first operand as an account's name; nil if none is given.
  func account() throws(CommandError) -> String? {
    guard let word = arguments.operands.first else { return nil }
    return try accountName(word)
  }

  /// An operand that must be an account's name.
  func accountName(_ word: String) throws(CommandError) -> String {
    do { return try AccountName(word).text } catch { throw .usage("\(error)") }
  }

  /// A provider's name.
  func providerName(_ word: String) throws(CommandError) -> ProviderName {
    do { return try ProviderName(word) } catch { throw .usage("\(error)") }
  }

  /// The value of an option as seconds.
  func duration(_ option: String) throws(CommandError) -> Int64? {
    guard let text = arguments.value(option) else { return nil }
    guard let seconds = Durations.parse(text) else {
      throw .usage(
        "\(option) must be a duration with its unit, not \"\(text)\"",
        hint: "such as 90s, 15m, 2h or 1h30m"
      )
    }
    return seconds
  }

  // MARK: The person

  /// The terminal for a question; `question` is the question, for the error if it cannot be asked,
  /// and `instead` is the advice in that case.
  func terminal(for question: String, instead: String? = nil) throws(CommandError) -> Terminal {
    try terminal(whose: "\(question) is needed", instead: instead)
  }

  /// The terminal for a need that is stated as a sentence, such as "an answer is needed".
  func terminal(whose need: String, instead: String? = nil) throws(CommandError) -> Terminal {
    try demandInput(whose: need, instead: instead)
    guard let terminal = findTerminal() else {
      throw CommandError(
        .promptNeeded,
        "\(need), but there is no terminal",
        hint: instead ?? CommandError.foreground
      )
    }
    return terminal
  }

  /// Fails with `--no-input`, where a person is needed, though not at the terminal.
  func demandInput(for question: String, instead: String? = nil) throws(CommandError) {
    try demandInput(whose: "\(question) is needed", instead: instead)
  }

  private func demandInput(whose need: String, instead: String?) throws(CommandError) {
    guard arguments.has("--no-input") else { return }
    throw CommandError(
      .promptNeeded,
      "\(need), but --no-input is given",
      hint: instead
    )
  }

  /// The person's terminal, if there is one and it is not another tool's screen; messages are shown
  /// there from then on.
  @discardableResult
  func findTerminal() -> Terminal? {
    if terminalIfAny == nil {
      terminalIfAny = .some(arguments.isForTool ? nil : openTerminal())
      if case .some(.some(let terminal)) = terminalIfAny { output.speak(through: terminal) }
    }
    return terminalIfAny ?? nil
  }

  /// Leaves the terminal as it was found.
  func leaveTerminal() {
    output.clearStatus()
    if case .some(.some(let terminal)) = terminalIfAny { terminal.restore() }
  }

  // MARK: Results

  /// One JSON object with `--json`, else text; either is made only when it is shown.
  func show(
    _ object: @autoclosure () -> JSONObject,
    _ text: @autoclosure () -> String
  ) throws(CommandError) {
    try give(output.commands.adapted(object()), output.commands.adapted(text()))
  }

  /// The same for a result that is no text of this program, such as a token.
  func give(
    _ object: @autoclosure () -> JSONObject,
    _ text: @autoclosure () -> String
  ) throws(CommandError) {
    guard output.json else { return try output.data(text()) }
    try output.data(object())
  }

  /// One JSON object with `--json`, else a sentence on standard error.
  func report(
    _ object: @autoclosure () -> JSONObject,
    _ sentence: @autoclosure () -> String
  ) throws(CommandError) {
    guard output.json else { return output.talk(sentence()) }
    try output.data(output.commands.adapted(object()))
  }

  // MARK: The vault

  /// The vault that is used.
  ///
  /// - Throws: why it is not known.
  func knownLocation() throws(CommandError) -> VaultLocation {
    if let location { return location }
    do throws(VaultClientError) {
      return try VaultLocation(privately: arguments.has("--private"), environment: environment)
    } catch {
      throw CommandError(error)
    }
  }

  /// How long a call may take that the engine answers by itself, in seconds.
  static let localLimit: Int64 = 30
  /// How long a call may take that asks a provider: an orphaned exchange (at most 67 s), an own one
  /// (at most 65 s), and the start of their helpers.
  static let remoteLimit: Int64 = 150

  /// Hangs up: whatever the engine does for this caller is cancelled.
  func hangUp() {
    calls.hangUp()
    privateCalls.hangUp()
  }

  /// Calls the vault, with a presence dialogue where it asks for one.
  ///
  /// `make` gets the prompt whose check has passed, or nil at first.
  func call<Method: VarlinkMethod>(
    on calls: VaultCalls? = nil,
    within seconds: Int64,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method
  ) throws(CommandError) -> Method.Reply {
    var result: Method.Reply?
    try stream(on: calls, within: seconds, more: false, again: again, make) { result = $0 }
    guard let result else { throw CommandError(VaultClientError.disconnected, again) }
    return result
  }

  /// Makes a call for which no person is asked, and which fails if it needs a presence check.
  func callWithoutPrompt<Method: VarlinkMethod>(
    _ call: Method,
    within seconds: Int64,
    again: Repetition
  ) throws(VaultClientError) -> Method.Reply {
    try calls.run(again: again, asking: nil) { connection, _ throws(VaultClientError) in
      try connection.call(call, within: seconds)
    }
  }

  /// The same as `call` for several replies.
  ///
  /// `calls` are those to the vault of this run if they are `nil`. `meaning` makes the message
  /// about an error of the call itself; if it returns `nil`, the usual message is shown.
  func stream<Method: VarlinkMethod>(
    on calls: VaultCalls? = nil,
    within seconds: Int64,
    more: Bool = true,
    again: Repetition = .untilPrompted,
    _ make: (String?) -> Method,
    each body: (Method.Reply) throws(VaultClientError) -> Void,
    meaning: (VaultClientError) -> CommandError? = { _ in nil }
  ) throws(CommandError) {
    defer { output.clearStatus() }
    do throws(VaultClientError) {
      try (calls ?? self.calls).run(again: again, asking: asker) {
        connection,
        prompt throws(VaultClientError) in
        var call = make(prompt)
        call.tell(reason: arguments.value(Verb.Option.reason.name)) { self.saysCanAsk }
        try connection.stream(
          call,
          more: more,
          within: seconds,
          whenSlow: seconds == Self.remoteLimit ? { self.announceWaiting() } : nil,
          each: body
        )
      }
    } catch {
      wantedPIN = SecurityKeyText.wanted(error)
      throw takeFailure()
        ?? commands(of: calls).adapted(meaning(error) ?? CommandError(error, again))
    }
  }

  /// The commands for the vault of these calls: a move between two vaults needs both.
  private func commands(of calls: VaultCalls?) -> CommandText {
    guard let calls, calls === privateCalls, calls !== self.calls else { return output.commands }
    return CommandText(forPrivateVaultIn: environment)
  }

  /// Shows at a terminal why nothing happens.
  func announceWaiting() {
    guard !output.json, (try? terminal(for: "")) != nil else { return }
    output.status("waiting for the provider")
  }
}
