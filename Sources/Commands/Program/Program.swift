internal import DesktopPrompt
internal import JSON
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// The command line from its words to its exit status.
package enum Program {
  /// Every verb; any other word is unknown.
  static let verbs: [Verb] =
    SetupVerb.all + ProviderVerbs.all + SignInVerbs.all + StoreVerb.all
    + ImportVerb.all + BackupVerb.all + RestoreVerb.all
    + ServiceImportVerb.all + ServiceExportVerb.all
    + TokenVerbs.all + RequestVerbs.all
    + StatusVerbs.all
    + AccountVerbs.all + PresenceVerbs.all + FingerVerbs.all + SecurityKeyVerbs.all
    + AuditVerbs.all + KeyVerbs.all + DeviceSecretVerbs.all
    + PolicyVerbs.all + RuleVerbs.all + UserVerbs.all + HostVerbs.all
    + ToolVerbs.all + AgentVerb.all + DoctorVerbs.all

  /// Runs the words after the program's name and returns the exit status.
  ///
  /// `name` is the name by which the program was called; other tools call their helpers by one
  /// each.
  ///
  /// Call it once, at the start of the process. It installs signal handlers. It also refuses dumps,
  /// because passwords pass through this process.
  package static func run(_ words: [String], calledAs name: String) -> Int32 {
    let inherited = InheritedState.takeOver()
    let words = ToolVerbs.words(calledAs: name) + words
    ThisProcess.removeCrashReports()
    let environment = { (name: String) in ThisProcess.environment(name) }
    let wantsJSON = words.prefix { $0 != "--" }.contains("--json")
    let output = Output(json: wantsJSON, environment: environment)
    do throws(CommandError) {
      try hardened()
      switch try Arguments.parse(words, verbs: verbs) {
      case .version:
        try show("version", thumblatchVersion, "thumblatch \(thumblatchVersion)", output)
      case .help(nil): try show(help: Help.overview(verbs, columns: helpColumns(output)), output)
      case .help(let verb?):
        let longer = verbs.filter { $0.words.count > verb.words.count }
          .filter { $0.words.starts(with: verb.words) }
        try show(help: Help.of(verb, longer: longer, columns: helpColumns(output)), output)
      case .helpOfSeveral(let verbs):
        try show(help: Help.ofSeveral(verbs, columns: helpColumns(output)), output)
      case .run(let arguments): try run(arguments, output, environment, inherited)
      }
      return ExitCode.done.rawValue
    } catch {
      let error = error.beforeVerb(words, output)
      output.fail(error)
      return error.code.rawValue
    }
  }

  private static func run(
    _ arguments: Arguments,
    _ output: Output,
    _ environment: @escaping (String) -> String?,
    _ inherited: InheritedState
  ) throws(CommandError) {
    let interrupt: Int32
    do {
      // A command that replaces this process gets the limit on its own core dumps back.
      if !arguments.verb.takesCommand { try ThisProcess.refuseDumps() }
      interrupt = try Interrupts.install()
    } catch { throw CommandError(.bug, "\(error)") }
    let variables = arguments.isForTool ? ToolEnvironment(environment).value : environment
    let session = Session(
      arguments: arguments,
      output: output,
      interrupt: interrupt,
      environment: environment,
      openTerminal: { Terminal.controlling() },
      connect: { () throws(VaultClientError) in
        let place = try VaultLocation(privately: arguments.has("--private"))
        return try place.connect(interrupt: interrupt, environment: variables)
      }
    )
    session.privateCalls = VaultCalls(interrupt: interrupt) { () throws(VaultClientError) in
      try VaultLocation.connectToMove(interrupt: interrupt, environment: variables)
    }
    session.inheritedMask = inherited.fileMask
    session.lacksSecurityKey = { PluggedKeys.areMissing() }
    session.commandWords = CommandLaunch.lastArguments(arguments.command.count)
    session.launch = { launch, token throws(CommandError) in
      try launch.run(token, as: inherited, interrupt: interrupt)
    }
    session.location = try? VaultLocation(privately: arguments.has("--private"))
    if session.location == .privateVault {
      session.openDesktop = { () throws(DesktopError) in
        try Desktop(variable: environment)
      }
    }
    defer { session.hangUp() }
    try arguments.verb.run(session)
  }

  private static func hardened() throws(CommandError) {
    ThisProcess.ignoreFileSizeSignal()
    do {
      try ThisProcess.reserveStandardDescriptors()
      try ThisProcess.hideMemory()
    } catch { throw CommandError(.bug, "\(error)") }
  }

  private static func show(help text: String, _ output: Output) throws(CommandError) {
    try show("help", text, text, output)
  }

  /// Shows one JSON member with `--json`, else a text.
  private static func show(
    _ name: String,
    _ value: String,
    _ text: String,
    _ output: Output
  ) throws(CommandError) {
    guard output.json else { return try output.data(text) }
    try output.data([name: .string(value)])
  }

  private static func helpColumns(_ output: Output) -> Int {
    min(output.columns ?? 80, 120)
  }
}
