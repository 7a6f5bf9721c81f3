import DesktopPrompt
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

/// A situation of a command: its arguments, the actions of the engine and the person, and the
/// output.
struct Situation: Sendable {
  /// The words after the program's name, separated by spaces; `~` stands for a space in a word.
  let line: String
  /// The circumstances.
  let what: String
  /// Whether the person has a terminal.
  var hasTerminal = true
  /// The terminal's kind: on a dumb one nothing is rewritten in place.
  var kind = "dumb"
  var output = StandardOutput.pipe
  var environment: [String: String] = [:]
  /// The person's provider files; `nil` if there is no directory for them.
  var files: [String: String]?
  /// The text of `hosts.conf`; `nil` if the situation has no home directory for it.
  var hosts: String?
  /// The settings of other tools, by their paths in a directory of the situation's own.
  var settings: [String: String]?
  /// Standard input; `nil` if it is the terminal.
  var input: String?
  var location: VaultLocation?
  var isRoot = false
  var lacksSecurityKey = false
  /// Why the desktop shows no prompt; `nil` if no desktop is looked for.
  var desktop: DesktopError?
  /// The answers to the command's own requests, by their URL.
  var web: [String: WebAnswer] = [:]
  var script: @Sendable (Stage) throws -> Void

  /// Without a script, no call may come.
  init(
    _ line: String,
    _ what: String,
    script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) {
    self.line = line
    self.what = what
    self.script = script
  }

  /// The engine answers the first call with an error.
  init<Method: VarlinkMethod>(
    _ line: String,
    _ what: String,
    _ method: Method.Type,
    fails error: VaultError
  ) {
    self.init(line, what) { stage in
      _ = try stage.call(method)
      try stage.fail(error)
    }
  }

  /// The engine answers the first call.
  init<Method: VarlinkMethod>(
    _ line: String,
    _ what: String,
    _ method: Method.Type,
    replies reply: Method.Reply
  ) {
    self.init(line, what) { stage in
      _ = try stage.call(method)
      try stage.reply(reply)
    }
  }

  var words: [String] {
    line.split(separator: " ").map { String($0).replacing("~", with: " ") }
  }

  func with(_ change: (inout Situation) -> Void) -> Situation {
    var changed = self
    change(&changed)
    return changed
  }

  func withoutTerminal(_ desktop: DesktopError) -> Situation {
    withoutTerminal.with { $0.desktop = desktop }
  }

  var withoutTerminal: Situation { with { $0.hasTerminal = false } }

  func with(files: [String: String]) -> Situation { with { $0.files = files } }

  func with(hosts: String) -> Situation { with { $0.hosts = hosts } }

  func with(settings: [String: String]) -> Situation { with { $0.settings = settings } }

  func with(input: String) -> Situation { with { $0.input = input } }

  func with(environment: [String: String]) -> Situation { with { $0.environment = environment } }

  /// The verb of the words; `nil` if they are not understood.
  var verb: Verb? {
    guard case .run(let arguments)? = try? Arguments.parse(words, verbs: Program.verbs) else {
      return nil
    }
    return arguments.verb
  }
}
