import Glibc
import JSON
import Synchronization
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `env`, `headers` and `exec`: a token in the form that another program reads.
struct TokenDeliveryTests {
  /// Every character that a token may have, with a quotation mark of each shell at both ends.
  private static let odd =
    "'\\" + String(String.UnicodeScalarView((0x21...0x7E).compactMap(Unicode.Scalar.init))) + "!'"

  private static func answer(_ token: String) -> @Sendable (Stage) throws -> Void {
    { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: token)
    }
  }

  /// The standard output of a shell that runs a script.
  private func output(of shell: [String], _ script: String, _ word: String) throws -> String {
    let (reading, writing) = try UnixSocket.pair()
    let out = Descriptor(owning: reading)
    // fish makes directories below the home directory.
    let home = try ScratchDirectory()
    let child: ChildProcess
    do {
      let theirs = Descriptor(owning: writing)
      child = try ChildProcess(
        path: shell[0],
        arguments: Array(shell.dropFirst()) + ["-c", script],
        environment: [
          "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=\(home.path)", "LINE=\(word)",
        ],
        descriptors: [-1, theirs.number, 2]
      )
    }
    let text = String(decoding: try out.readAll(limit: 1 << 20), as: UTF8.self)
    #expect(try child.wait() == .exited(0))
    return text
  }

  @Test(arguments: [
    ("sh", ["/bin/dash"], #"eval "$LINE"; printenv ACCESS_TOKEN"#),
    ("sh", ["/bin/bash"], #"eval "$LINE"; printenv ACCESS_TOKEN"#),
    ("sh", ["/bin/dash"], #"eval $LINE; printenv ACCESS_TOKEN"#),
    ("sh", ["/usr/bin/zsh", "--no-rcs"], #"eval "$LINE"; printenv ACCESS_TOKEN"#),
    ("fish", ["/usr/bin/fish", "--no-config"], #"echo $LINE | source; printenv ACCESS_TOKEN"#),
    ("fish", ["/usr/bin/fish", "--no-config"], #"eval $LINE; printenv ACCESS_TOKEN"#),
    ("csh", ["/usr/bin/tcsh", "-f"], #"eval "`printenv LINE`"; printenv ACCESS_TOKEN"#),
  ])
  func aShellReadsTheTokenAsItIs(_ shell: String, _ program: [String], _ script: String) throws {
    let play = try Play.run(["env", "me", "--shell", shell], script: Self.answer(Self.odd))
    #expect(play.code == .done && play.talk.isEmpty)
    let line = String(play.out.dropLast())
    #expect(try output(of: program, script, line) == Self.odd + "\n")
  }

  /// A token has none of these, and the quotation does not depend on it.
  @Test(arguments: [" ", "a  b", "\n", "\ta\n\nb ", "ü\u{1F511}", "\u{1}\u{1B}\u{7F}", ""])
  func eachCharacterIsQuoted(_ text: String) throws {
    for (shell, program) in [(ShellText.sh, ["/bin/dash"]), (.fish, ["/usr/bin/fish", "-N"])] {
      let script = "printf '%s' \(shell.quoted(text))"
      #expect(try output(of: program, script, "") == text, "\(shell)")
    }
  }

  @Test
  func theVariableAndTheShellAreChosen() throws {
    for (words, line) in [
      ([], "export ACCESS_TOKEN='t'\n"), (["--name", "_x9"], "export _x9='t'\n"),
      (["--shell", "fish", "--name", "T"], "set -gx T 't';\n"),
      (["--shell", "csh"], "setenv ACCESS_TOKEN 't';\n"),
    ] {
      let play = try Play.run(["env", "me"] + words, script: Self.answer("t"))
      #expect(play.out == line)
    }
    let json = try Play.run(["env", "--json", "--name", "T"], script: Self.answer("t"))
    let object = try VerbTests.object(json.out)
    #expect(try object.string("variable") == "T" && object.string("access_token") == "t")
  }

  @Test(arguments: [
    "1A", "A-B", "A B", "A=B", "A;id", "$(id)", "ü", "A\n", "A'B", "PATH", "path", "IFS", "HOME",
    "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT",
    "PYTHONPATH", "PERL5OPT", "NODE_OPTIONS", "https_proxy", "THUMBLATCH_SOCKET", "PAGER",
    String(repeating: "A", count: 129),
  ])
  func aVariableThatProgramsObeyIsRefused(_ name: String) throws {
    for words in [["env", "me", "--name", name], ["exec", "me", "--name", name, "--", "true"]] {
      let play = try Play.run(words) { try $0.expectEnd() }
      #expect(play.code == .usage, "\(name)")
      #expect(play.out.isEmpty)
    }
  }

  @Test(arguments: [[], ["--json"]])
  func headersAreOneObjectAndNothingElse(_ more: [String]) throws {
    let play = try Play.run(["headers", "me"] + more, script: Self.answer(Self.odd))
    #expect(play.code == .done && play.talk.isEmpty && play.screen.isEmpty)
    let object = try VerbTests.object(play.out)
    #expect(object.members.map(\.name) == ["Authorization"])
    #expect(try object.string("Authorization") == "Bearer \(Self.odd)")
    #expect(play.out.split(separator: "\n").count == 1)
  }

  /// Claude Code names the MCP server that gets the headers.
  @Test(arguments: [
    ("https://git.example.org/mcp", true), ("https://api.example.org/", true),
    ("https://x.example/mcp", false), ("http://git.example.org/", false), ("", false),
  ])
  func aSecretGoesToTheServersOfItsHostsOnly(_ url: String, _ isAllowed: Bool) throws {
    let play = try Play.run(
      ["headers", "git", "--helper"],
      environment: [ResourceBinding.variable: url]
    ) { stage in
      try stage.knowTerms(hosts: ["api.example.org"])
      guard isAllowed else {
        try stage.knowAccount(StoredSecretTests.account())
        return try stage.expectEnd()
      }
      try Self.answer("t")(stage)
    }
    #expect(play.code == (isAllowed ? .done : .refused), "\(play.talk)")
    #expect(play.out.isEmpty != isAllowed)
  }

  @Test
  func theOptionsAreThoseOfToken() throws {
    for verb in ["env", "headers", "token"] {
      let words = [verb, "me", "--min-ttl", "2m", "--scope", "a b", "--audience", "x"]
      let play = try Play.run(words + ["--reason", "why"]) { stage in
        let call = try stage.expect(AccessTokenCall.self)
        #expect(call.account == "me" && call.minimumLifetime == 120 && call.scope == "a b")
        #expect(call.audience == "x" && call.reason == "why")
        try stage.fail(.loginRequired(account: "me", message: "gone"))
      }
      #expect(play.code == .loginRequired && play.out.isEmpty)
    }
  }

  @Test(arguments: [
    (["--fd", "3"], CommandLaunch.Delivery.descriptor(3)), ([], .variable("ACCESS_TOKEN")),
    (["--name", "T"], .variable("T")), (["--fd=255"], .descriptor(255)),
  ])
  func theCommandIsLaunchedWithTheToken(
    _ words: [String],
    _ delivery: CommandLaunch.Delivery
  ) throws {
    let launched = Mutex<[(CommandLaunch, String)]>([])
    let play = try Play.run(
      ["exec", "me"] + words + ["--", "sh", "-c", "--json"],
      prepare: { session in
        session.launch = { launch, token in launched.withLock { $0.append((launch, token)) } }
      },
      script: Self.answer("t")
    )
    #expect(play.code == .done && play.out.isEmpty && play.talk.isEmpty)
    let all = launched.withLock { $0 }
    #expect(all.count == 1 && all.first?.1 == "t")
    #expect(all.first?.0.delivery == delivery)
    #expect(all.first?.0.words == ["sh", "-c", "--json"].map { Array($0.utf8) })
  }

  @Test(arguments: [
    ["--", "/nonexistent/program"], ["--", "no-such-program-7"], ["--", ""], ["--", "/etc/passwd"],
    ["--", "/etc"], ["--fd", "2", "--", "true"], ["--fd", "256", "--", "true"],
    ["--fd", "x", "--", "true"], ["--fd", "3", "--name", "T", "--", "true"],
  ])
  func whatCannotBeRunAsksForNoToken(_ words: [String]) throws {
    let play = try Play.run(["exec", "me"] + words) { try $0.expectEnd() }
    #expect(play.code == .usage && play.out.isEmpty)
  }

  @Test
  func withoutATokenNothingIsLaunched() throws {
    let play = try Play.run(
      ["exec", "me", "--no-input", "--", "true"],
      prepare: { session in session.launch = { _, _ in Issue.record("launched") } },
      script: { stage in
        _ = try stage.expect(AccessTokenCall.self)
        try stage.needPresence()
        try stage.expectEnd()
      }
    )
    #expect(play.code == .promptNeeded)
  }
}
