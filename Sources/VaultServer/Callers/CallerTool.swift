internal import System
internal import TokenVault
internal import VaultInterface

extension Caller {
  /// The tool that has run this helper; `nil` if that cannot be told.
  var tool: Tool? {
    // The agent of a restricted socket represents unknown programs.
    guard !isRestricted, var ancestry else { return nil }
    return Tool(ofHelper: &ancestry)
  }
}

extension Connection {
  /// Whether a call for a token gets a record: it states a reason, and no tool is known that
  /// repeats it.
  func isRecorded(_ call: UsualTokenCall) -> Bool {
    call.reason != nil && (call.helper != true || tool == nil)
  }
}

extension Tool {
  /// The programs that run one command for another program, and end.
  private static let wrappers: Set = ["sh", "dash", "bash", "zsh", "ksh", "fish", "env", "timeout"]
  /// Within how many ticks (1/100 s) before the helper such a program was started for it.
  private static let wrapperTicks: UInt64 = 200
  private static let mostSteps = 8

  /// The tool that has run a helper; `nil` if that cannot be told.
  init?(ofHelper process: Int32) {
    var ancestry = Ancestry(of: process)
    self.init(ofHelper: &ancestry)
  }

  /// The same, by the ancestry of the helper.
  ///
  /// It is the nearest ancestor that is no program of ours, and no shell that was started for this
  /// command. Names prove nothing. A program that misleads this changes only whether the provider
  /// is asked about a token that the program may have anyway.
  fileprivate init?(ofHelper ancestry: inout Ancestry) {
    guard let helper = ancestry.entry(0)?.facts else { return nil }
    for step in 0..<Self.mostSteps {
      guard let ancestor = ancestry.entry(step) else { return nil }
      let facts = ancestor.facts
      let isWrapper =
        Self.wrappers.contains(facts.name)
        && facts.started + Self.wrapperTicks >= helper.started
      guard facts.name.hasPrefix("thumblatch") || isWrapper else {
        self.init(process: ancestor.process, started: facts.started)
        return
      }
    }
    return nil
  }
}
