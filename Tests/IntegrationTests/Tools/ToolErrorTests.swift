import System
import TestSupport
import Testing

/// The errors of the helpers with the real engine.
///
/// Each tool gets the error on its protocol's own channel, and no token is printed.
@Suite(.serialized)
struct ToolErrorTests {
  /// A helper, and how its tool hears of an error.
  enum Helper: String, CaseIterable {
    case git, docker, cargo, bazel, terraform, kube, token, headers

    /// The command that asks for a token.
    var command: String {
      switch self {
      case .git: "git-credential-thumblatch get"
      case .docker: "docker-credential-thumblatch get"
      case .cargo: "cargo-credential-thumblatch --cargo-plugin"
      case .bazel: "bazel-credential-thumblatch get"
      case .terraform: "terraform-credentials-thumblatch get git.example.org"
      case .kube: "thumblatch kube-credential me"
      case .token: "thumblatch token me --helper"
      case .headers: "thumblatch headers me --helper"
      }
    }

    /// The command that prints its request.
    var request: String {
      switch self {
      case .git: #"printf 'protocol=https\nhost=git.example.org\n\n'"#
      case .docker: "printf git.example.org"
      case .cargo:
        #"echo '{"v":1,"kind":"get","registry":{"index-url":"sparse+https://git.example.org"}}'"#
      case .bazel: #"echo '{"uri":"https://git.example.org/"}'"#
      case .terraform, .kube, .token, .headers: ":"
      }
    }
  }

  /// How a helper ended.
  private struct Ending {
    let code: String
    let out: String
    let error: String

    /// Expects an error of this exit code, where the protocol has one.
    func expectError(_ helper: Helper, code: Int, out: String = "") {
      #expect(!self.out.contains("at_") && !error.contains("at_"), "\(helper): \(self)")
      switch helper {
      case .docker:
        #expect(self.code == "1" && error == "", "\(self)")
        #expect(self.out.split(separator: "\n").count == 1, "\(self)")
      case .cargo:
        let lines = self.out.split(separator: "\n")
        #expect(self.code == "0" && error == "" && lines.count == 2, "\(self)")
        #expect(lines.last?.hasPrefix(#"{"Err":{"kind":"other","message":""#) == true, "\(self)")
      default:
        #expect(self.code == "\(code)" && self.out == out, "\(helper): \(self)")
        #expect(error.contains("thumblatch: error: "), "\(helper): \(self)")
      }
    }
  }

  private let person: Person

  /// A person with the account `me` for a host, whose provider has a few seconds for an answer.
  init() throws {
    person = try Person()
    try person.shell("echo 'timeout = 8s' >>~/.config/thumblatch/providers.d/dev.conf").succeeded()
    try person.register()
    try person.run("host", "add", "git.example.org", "me").succeeded()
  }

  /// A call of a helper: its command, and the command that prints its input.
  private struct Call {
    let helper: Helper
    let command: String
    let input: String

    /// A script that makes the call, and keeps how it ends.
    var script: String {
      """
      { { \(input); } 2>/dev/null | \(command) >\(helper).out 2>\(helper).error
        echo $? >\(helper).code; } &
      """
    }
  }

  /// Makes calls at once, and returns how they ended.
  private func run(_ calls: [Call], limit: String = ":") throws -> [(Helper, Ending)] {
    let scripts = calls.map(\.script).joined(separator: "\n")
    try person.shell("export PATH=\(person.programs):$PATH; cd; \(limit)\n\(scripts)\nwait")
      .succeeded()
    return try calls.map { call in
      let files = try ["code", "out", "error"].map { name in
        try person.shell("head -c 2000 ~/\(call.helper).\(name)").succeeded()
      }
      let code = String(files[0].dropLast())
      return (call.helper, Ending(code: code, out: files[1], error: files[2]))
    }
  }

  /// Asks every helper for a token at once.
  private func askAll() throws -> [(Helper, Ending)] {
    try run(Helper.allCases.map { Call(helper: $0, command: $0.command, input: $0.request) })
  }

  @Test(arguments: [DevBackendFault.Kind.status(503), .hang, .garbage])
  func aProviderThatFailsIsAnErrorInEachProtocol(_ fault: DevBackendFault.Kind) throws {
    for (helper, ending) in try askAll() {
      #expect(ending.code == "0" && ending.out.contains("at_"), "\(helper): \(ending)")
    }
    try person.expireTokens()
    try person.backend.fail(.init("*", fault, count: 100))
    for (helper, ending) in try askAll() {
      ending.expectError(helper, code: 5, out: helper == .git ? "quit=1\n" : "")
    }
  }

  /// A tool that sends a gigabyte, or bytes of any kind, gets an error and no token.
  @Test(arguments: [
    "head -c 1G /dev/zero", "head -c 3M /dev/urandom", "yes protocol=https", "printf ''",
    "yes | head -c 2M | tr -d '\\n'", "printf 'protocol=https\\nhost=git.example.org\\0\\n'",
  ])
  func hostileRequestsGetNoToken(_ source: String) throws {
    var calls = [Helper.git, .docker, .cargo, .bazel].map { helper in
      Call(helper: helper, command: helper.command, input: source)
    }
    let store = "terraform-credentials-thumblatch store other.example.org"
    calls.append(Call(helper: .terraform, command: store, input: source))
    for (helper, ending) in try run(calls, limit: "ulimit -v 1000000") {
      if helper == .cargo, source == "printf ''" {
        // A tool may say nothing after the greeting.
        #expect(ending.code == "0" && ending.out == "{\"v\":[1]}\n" && ending.error == "")
      } else {
        ending.expectError(helper, code: 2)
      }
    }
    #expect(try !person.run("account", "list").succeeded().contains("other.example.org"))
  }

  /// A tool of a later version may give words that its helper does not know.
  @Test(arguments: ["", "get extra", "get --frob"])
  func wordsThatAHelperDoesNotKnowAreAnErrorInItsProtocol(_ words: String) throws {
    var calls = [Helper.git, .docker, .bazel, .terraform].map { helper in
      let program = helper.command.split(separator: " ")[0]
      let host = helper == .terraform && !words.isEmpty ? "git.example.org" : ""
      return Call(helper: helper, command: "\(program) \(words) \(host)", input: ":")
    }
    if words.contains("-") {
      calls.append(Call(helper: .cargo, command: "cargo-credential-thumblatch --frob", input: ":"))
    }
    for (helper, ending) in try run(calls) {
      guard helper == .cargo else {
        ending.expectError(helper, code: 2)
        continue
      }
      // The greeting tells cargo that a helper is there, so its message is on standard error.
      #expect(ending.code == "2" && ending.out == "" && ending.error.contains("--frob"))
    }
  }

  /// kubectl's request is in a variable.
  @Test(arguments: [
    "{", "{}", "[]", "7", #"{"apiVersion":"client.authentication.k8s.io/v1"}"#,
    #"{"apiVersion":7,"kind":"ExecCredential"}"#,
    #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":[]}"#,
    #"$(printf '\377\376')"#, "$(head -c 120000 /dev/zero | tr '\\0' '[')",
  ])
  func aHostileVariableGetsNoToken(_ value: String) throws {
    let quoted = value.hasPrefix("$") ? "\"\(value)\"" : "'\(value)'"
    let command = "env KUBERNETES_EXEC_INFO=\(quoted) \(Helper.kube.command)"
    for (helper, ending) in try run([Call(helper: .kube, command: command, input: ":")]) {
      ending.expectError(helper, code: 2)
    }
  }
}
