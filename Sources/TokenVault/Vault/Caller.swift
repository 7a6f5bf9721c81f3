package import Configuration
internal import Presence
internal import PresenceTerms
package import System

/// A caller: the connection, which carries the authority, and what is known of the program.
///
/// The program's name is for people to read. It is not verified and decides nothing, because any
/// program may call itself `git`.
package struct Caller: Sendable {
  /// Whether a prompt would be shown.
  package enum Asking: Sendable, Equatable {
    /// At once: the prompt counts against the limit of prompts from its opening.
    case atOnce
    /// The call does not say: the prompt counts when its check begins.
    case unsaid
    /// Never: no prompt is opened.
    case never
  }

  /// The connection's number in this engine.
  package let connection: UInt64
  /// The uid that the kernel recorded at connect(2).
  package let user: UInt32
  /// The text to show, such as `bash, PID 4211`.
  package let requester: String
  /// The program at the other end of the connection; `nil` for the engine itself.
  package let peer: Peer?
  /// That program and those that started it, as they were when the connection made its first call.
  package let ancestry: Ancestry?
  /// The device number of its controlling terminal; `nil` if it has none.
  package let terminal: Int32?
  /// Whether the call says that a prompt would be shown.
  package var asking: Asking
  /// What the program says that it needs a check for, in one line.
  package var statedReason: String?
  /// The rule that holds for the connection; `nil` if none does.
  package private(set) var rule: CallerRule?
  /// What decides which rules hold for it; `nil` if that was not looked up.
  package var marks: CallerMarks?
  /// Whether it is behind a restricted socket.
  package private(set) var isRestricted = false

  package init(
    connection: UInt64,
    user: UInt32,
    requester: String,
    peer: Peer? = nil,
    ancestry: Ancestry? = nil,
    terminal: Int32? = nil,
    asking: Asking = .unsaid
  ) {
    self.connection = connection
    self.user = user
    self.requester = requester
    self.peer = peer
    self.ancestry = ancestry
    self.terminal = terminal
    self.asking = asking
  }

  /// The caller under a rule.
  package func ruled(by rule: CallerRule) -> Caller {
    var caller = self
    caller.rule = rule
    return caller
  }

  /// The caller behind a restricted socket.
  ///
  /// The process that holds the connection is the agent, which lends it to programs that are not
  /// known.
  package func restricted(by rule: CallerRule) -> Caller {
    var caller = Caller(
      connection: connection,
      user: user,
      requester: rule.title,
      peer: peer,
      // An agent shows the prompt, which counts from then on.
      asking: asking == .never ? .never : .unsaid
    )
    caller.rule = rule
    caller.isRestricted = true
    return caller
  }
}

extension Caller {
  /// Whether each access token needs a check of its own.
  var needsOwnCheck: Bool { rule?.needsOwnCheck == true }

  /// A question for the person of this caller.
  func question(
    _ purpose: PresencePurpose,
    about account: [UInt8]? = nil,
    detail: String? = nil,
    accounts: [[UInt8]] = [],
    binding: [UInt8]? = nil,
    statedReason: String? = nil
  ) -> PromptQuestion {
    PromptQuestion(
      user: user,
      purpose: purpose,
      account: account,
      detail: detail,
      binding: binding,
      accounts: accounts,
      statedReason: statedReason ?? self.statedReason,
      // A check of its own answers no other caller.
      connection: needsOwnCheck ? connection : nil,
      socket: isRestricted ? requester : nil
    )
  }
}
