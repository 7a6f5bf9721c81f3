import Glibc
import System
import TestSupport
import Testing

/// The front and the command-line program with the real engine: both give the same bytes.
@Suite(.serialized)
struct ToolAnswerTests {
  /// A request: the name of the program, its words, the words of the command line, and the input.
  struct Request: Sendable {
    let words: String
    let verb: String
    let input: String
    var variables = ""

    static func git(_ input: String) -> Request {
      Request(words: "git-credential-thumblatch get", verb: "git-credential get", input: input)
    }
    static func docker(_ input: String) -> Request {
      Request(
        words: "docker-credential-thumblatch get",
        verb: "docker-credential get",
        input: input
      )
    }
    static func bazel(_ input: String) -> Request {
      Request(words: "bazel-credential-thumblatch get", verb: "bazel-credential get", input: input)
    }
    static func cargo(_ input: String) -> Request {
      Request(
        words: "cargo-credential-thumblatch --cargo-plugin",
        verb: "cargo-credential --cargo-plugin",
        input: input
      )
    }
    static func terraform(_ host: String) -> Request {
      Request(
        words: "terraform-credentials-thumblatch get '\(host)'",
        verb: "terraform-credential get '\(host)'",
        input: ""
      )
    }
    static func kube(_ variable: String) -> Request {
      Request(
        words: "thumblatch kube-credential me",
        verb: "kube-credential me",
        input: "",
        variables: "KUBERNETES_EXEC_INFO='\(variable)'"
      )
    }
  }

  /// With a valid token, only the front answers these.
  private static let served: [Request] = [
    .git("protocol=https\nhost=git.example.org\n\n"),
    .git("protocol=https\nhost=GIT.example.org:443\nusername=ann\npath=x\n"),
    .git("capability[]=authtype\nprotocol=https\nhost=git.example.org\n\n"),
    .git("capability[]=authtype\nprotocol=https\nhost=git.example.org\nwwwauth[]=Basic x\n\n"),
    .git("capability[]=authtype\nprotocol=https\nhost=basic.example.org\n\n"),
    .docker("git.example.org"), .docker("https://basic.example.org/v1/\n"),
    .bazel(#"{"uri":"https://git.example.org/x"}"#),
    .bazel(#"{"uri":"grpcs://basic.example.org/x","new":[1]}"#),
    .cargo(#"{"v":1,"kind":"get","registry":{"index-url":"sparse+https://git.example.org/i"}}"#),
    .cargo(
      registry("git.example.org", #""kind":"get","args":["--raw"]"#) + "\n"
        + registry("basic.example.org") + "\n"
    ),
    .cargo(""), .terraform("git.example.org"),
    .kube(""), .kube(exec("v1", "{}")), .kube(kubectl("v1")), .kube(kubectl("v1beta1")),
    .kube(kubectl("v1").replacing("false", with: "true")),
    .kube(exec("v1beta1", #"{"cluster":{"server":"https://k.example.org:6443"}}"#)),
  ]

  private static func registry(_ host: String, _ kind: String = #""kind":"get""#) -> String {
    #"{"v":1,\#(kind),"registry":{"index-url":"sparse+https://\#(host)"}}"#
  }

  /// These are refused, or have no token.
  private static let refused: [Request] = [
    .git("protocol=https\nhost=other.example.org\n\n"), .git("protocol=https\n"),
    .git("protocol=https\nhost=git.example.org\u{0}\n"),
    .git("protocol=http\nhost=git.example.org\n"), .git("protocol=cert\nhost=\npath=/k\n"),
    .git("protocol=https\nhost=basic.example.org\nusername=eve\n"),
    .git("p\u{0}r\u{0}o\u{0}"), .docker("other.example.org"), .docker(""), .docker("a b"),
    .bazel(#"{"uri":"https://other.example.org/x"}"#), .bazel("{}"), .bazel("["),
    .bazel(#"{"uri":"https://git.example.org@other.example.org/"}"#),
    .cargo(registry("other.example.org")),
    .cargo(
      registry("git.example.org") + "\n" + registry("git.example.org", #""kind":"logout""#) + "\n"
    ),
    .cargo("{"), .cargo(#"{"v":2}"#), .terraform("other.example.org"),
    .terraform("git.example.org/x"),
    .kube("{"), .kube(exec("v2", "{}")), .kube(exec("v1", #"{"cluster":{"server":"ftp://x"}}"#)),
  ]

  /// A request as kubectl writes it.
  private static func kubectl(_ version: String) -> String {
    #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","#
      + #""spec":{"interactive":false}}"#
  }

  private static func exec(_ version: String, _ spec: String) -> String {
    #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","#
      + #""spec":\#(spec)}"#
  }

  private let person: Person

  init() throws {
    person = try Person()
    try person.register()
    try person.run("host", "add", "git.example.org", "me").succeeded()
    try person.run("host", "add", "basic.example.org", "me", "--username", "ann").succeeded()
    try person.shell("echo 'scheme = basic' >>~/.config/thumblatch/hosts.conf").succeeded()
  }

  /// Standard output, errors and the exit status of a program, as one text.
  private func answer(_ program: String, _ request: Request) throws -> String {
    let file = person.home + "/request"
    try IntegrationTests.shell("rm -f \(file)")
    try Directory(path: person.home).create("request").write(request.input)
    try IntegrationTests.shell("chmod 644 \(file)")
    return try person.shell(
      "\(request.variables) \(person.programs)/\(program) <\(file) 2>&1; echo exit $?"
    ).text
  }

  private func compare(_ requests: [Request]) throws {
    for request in requests {
      let expected = try answer("thumblatch-cli \(request.verb)", request)
      #expect(try answer(request.words, request) == expected, "\(request)")
    }
  }

  @Test
  func aValidTokenIsGivenWithoutTheCommandProgram() throws {
    let expected = try Self.served.map { try answer("thumblatch-cli \($0.verb)", $0) }
    // The programs of all tests are links to the same files.
    try IntegrationTests.shell(
      """
      cd \(person.programs); rm thumblatch-cli
      printf '#!/bin/sh\\necho cli\\n' >thumblatch-cli; chmod 755 thumblatch-cli
      """
    )
    for (request, expected) in zip(Self.served, expected) {
      #expect(try answer(request.words, request) == expected, "\(request)")
    }
    // Cargo may send an empty request, and a token as a password is encoded for Bazel.
    #expect(expected.filter { $0.contains("at_") }.count == Self.served.count - 2)
  }

  @Test
  func aRefusalIsTheSame() throws { try compare(Self.refused) }

  @Test
  func withoutAValidTokenTheAnswerIsTheSame() throws {
    for request in Self.served {
      try person.expireTokens()
      let fresh = try answer(request.words, request)
      // The token is valid by now.
      #expect(try answer("thumblatch-cli \(request.verb)", request) == fresh, "\(request)")
    }
  }

  @Test
  func aSecretWithoutLoginGoesToItsHostsOnly() throws {
    try person.run("store", "pat", "--host", "forge.example.org", "--secret-stdin", input: "at_p\n")
      .succeeded()
    try person.shell(
      "printf '[other.example.org]\\naccount = pat\\n' >>~/.config/thumblatch/hosts.conf"
    ).succeeded()
    let home = Request.git("protocol=https\nhost=forge.example.org\n")
    let other = Request.git("protocol=https\nhost=other.example.org\n")
    try compare([home, other])
    #expect(try answer(home.words, home).contains("at_p"))
    #expect(try !answer(other.words, other).contains("at_p"))
  }
}
