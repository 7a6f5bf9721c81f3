import Glibc
import System
import TestSupport
import Testing

/// The socket of `agent --oidc-agent`, used by oidc-agent's own client and library, and by hostile
/// programs.
@Suite(.serialized)
struct OIDCAgentClientTests {
  private let person: Person
  private let agent: Run
  private var socket: String { person.home + "/agent socket" }

  init() throws {
    person = try Person()
    try person.register("work")
    let path = person.home + "/agent socket"
    agent = try person.start(["agent", "--oidc-agent", path])
    try awaitSocket(path)
  }

  /// Runs a shell script with the socket in OIDC_SOCK.
  private func client(_ script: String) throws -> Someone.Outcome {
    try person.shell("export OIDC_SOCK='\(socket)'\n\(script)")
  }

  /// Sends a plain request, and returns the answer.
  private func plain(_ request: String) throws -> String {
    try client(
      """
      /usr/bin/python3 - "$OIDC_SOCK" <<'END'
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])
      s.sendall(rb'''\(request)''')
      # A client may close its sending side.
      s.shutdown(socket.SHUT_WR)
      sys.stdout.write(s.recv(65536).decode())
      END
      """
    ).succeeded()
  }

  /// The token that oidc-agent's library gets for an issuer, or its error; its program accepts only
  /// https.
  private func byIssuer(_ issuer: String) throws -> String {
    try client(
      """
      /usr/bin/python3 - '\(issuer)' <<'END'
      import sys
      from ctypes import CDLL, c_char_p, c_long
      library = CDLL("liboidc-agent.so.4")
      library.getAccessTokenForIssuer.argtypes = [c_char_p, c_long, c_char_p, c_char_p]
      library.getAccessTokenForIssuer.restype = library.oidcagent_serror.restype = c_char_p
      token = library.getAccessTokenForIssuer(sys.argv[1].encode(), 60, None, b"app")
      print(repr(token)[1:] if token else token, None if token else library.oidcagent_serror())
      END
      """
    ).succeeded()
  }

  private func endAgent() throws {
    kill(agent.child.identifier, SIGTERM)
    #expect(try agent.text() == "")
    #expect(try agent.child.wait() == .exited(0))
    #expect(try shell("ls '\(person.home)'").contains("socket") == false)
  }

  @Test
  func itsClientGetsTheTokenByNameAndByIssuer() throws {
    let token = try person.run("token", "work").succeeded()
    #expect(try client("oidc-token work").succeeded() == token)
    let issuer = person.backend.url
    #expect(try byIssuer(issuer + "/") == "'\(token.dropLast())' None\n")
    let all = try client("oidc-token --all --time=30 --name='a tool' work").succeeded()
    let lines = all.split(separator: "\n").map(String.init)
    #expect(lines.count == 3 && lines[0] + "\n" == token && lines[1] == issuer, "\(all)")
    #expect((Int(lines.last ?? "") ?? 0) > 1_700_000_000)
    let exported = try client("eval $(oidc-token --env work); echo $OIDC_AT $OIDC_ISS").succeeded()
    #expect(exported == "\(token.dropLast()) \(issuer)\n")
    try endAgent()
  }

  @Test
  func aNewTokenIsFetchedIfTheClientForcesIt() throws {
    let token = try client("oidc-token work").succeeded()
    let next = try client("oidc-token --force-new work").succeeded()
    #expect(next.hasPrefix("at_") && next != token)
    #expect(try person.run("token", "work").succeeded() == next)
    try endAgent()
  }

  @Test
  func itsClientIsToldWhyThereIsNoToken() throws {
    try person.register("other")
    for name in ["nobody", "../x", "WORK", String(repeating: "x", count: 4000)] {
      let refused = try client("oidc-token '\(name)' 2>&1")
      #expect(refused.end != .exited(0) && refused.text.contains("account"), "\(refused)")
    }
    #expect(try client("oidc-token nobody 2>&1").text.contains("no such account"))
    let words = ["store", "pat", "--host", "forge.example.org", "--secret-stdin"]
    try person.run(words, input: "s\n").succeeded()
    #expect(try client("oidc-token pat 2>&1").text.contains("keeps a secret"))
    let none = try client("oidc-token https://none.example/ 2>&1").text
    #expect(none.contains("no account is signed in there"), "\(none)")
    // There are two accounts, and later one of them is the default.
    #expect(
      try byIssuer(person.backend.url) == "None b'several accounts are there: other, work'\n"
    )
    try person.run("account", "default", "work").succeeded()
    let token = try person.run("token", "work").succeeded()
    #expect(try byIssuer(person.backend.url) == "'\(token.dropLast())' None\n")
    let long = String(repeating: "y", count: 9000)
    let refused = try client("oidc-token --name=\(long) work 2>&1").text
    #expect(refused.contains("too long"), "\(refused)")
    #expect(
      try plain(#"{"request":"loaded_accounts"}"#)
        == #"{"status":"success","info":["other","work"]}"# + "\n"
    )
    try endAgent()
  }

  @Test
  func otherRequestsAreRefusedWithWhatToDo() throws {
    for (request, advice) in [
      ("gen", "thumblatch login"), ("add", "thumblatch login"), ("delete", "thumblatch logout"),
      ("remove_all", "thumblatch logout"), ("lock", "thumblatch lock"),
      ("id_token", "thumblatch --help"), ("refresh_token", "thumblatch --help"),
    ] {
      let answer = try plain(#"{"request":"\#(request)","account":"work","config":{"x":1}}"#)
      #expect(answer.contains(#""status":"failure""#) && answer.contains(advice), "\(answer)")
      #expect(answer.contains("access tokens only"), "\(answer)")
    }
    #expect(try client("oidc-token --id-token work 2>&1").end != .exited(0))
    #expect(
      try plain(#"{"request":"access_token","account":"work"}"#)
        .contains(#"{"status":"success","access_token":"at_"#)
    )
    try endAgent()
  }

  @Test
  func hostileProgramsGetErrorsAndStopNoCaller() throws {
    for request in [
      "{}", #"{"request":7}"#, #"{"request":"access_token"}"#, "{\\0}", "{\\xff}", "{]}", "{{{{}",
      #"{"request":"access_token","account":"a\u0000b"}"#, String(repeating: "A", count: 44),
      String(repeating: "{", count: 20_000) + "}",
    ] {
      let answer = try plain(request)
      #expect(answer.contains("Bad Request"), "\(request.prefix(40)): \(answer)")
    }
    try client(
      """
      /usr/bin/python3 - "$OIDC_SOCK" <<'END'
      import base64, os, socket, sys
      def connect():
          s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1]); return s
      def talk(*messages):
          with connect() as s:
              answers = []
              for message in messages:
                  try:
                      s.sendall(message)
                      answers.append(s.recv(65536))
                  except OSError:
                      answers.append(b"")
              return answers
      key = base64.b64encode(os.urandom(32))
      # Boxes that are none, are too long, or are of another key; and a key of small order.
      for box in [b"x:", b"-1:", b"9999999:", b"2:" + b"A" * 32 + b":" + b"A" * 24, b"1" * 20000]:
          greeting, answer = talk(key, box)
          assert len(greeting) == 44 and (b"Bad Request" in answer or answer == b""), (box[:9], answer)
      assert b"Bad Request" in talk(base64.b64encode(bytes(32)))[0]
      # A megabyte, and programs that leave at once or in the middle, or stay without a word.
      talk(b"{" + b"x" * (1 << 20))
      for message in [b"", b"{", key, key[:9]]:
          for count in range(5):
              with connect() as s:
                  s.sendall(message)
      silent = [connect() for count in range(10)]
      for request in [b'{"request":"loaded_accounts"}', b'{"request":"loaded_accounts"}\\n\\0']:
          assert b'"info":["work"]' in talk(request)[0]
      END
      """
    ).succeeded()
    let token = try person.run("token", "work").succeeded()
    #expect(try client("oidc-token work").succeeded() == token)
    // Others do not reach the socket.
    #expect(try shell("stat -c %a '\(socket)'") == "600\n")
    // Root does, and gets nothing.
    let root = try shell("OIDC_SOCK='\(socket)' oidc-token work 2>&1 || echo none")
    #expect(root.contains("none") && !root.contains("at_"), "\(root)")
    try endAgent()
  }

  /// Programs that say nothing, or only a part, have more connections than the agent keeps.
  @Test
  func silentProgramsDoNotKeepOthersOut() throws {
    let token = try person.run("token", "work").succeeded()
    let text = try client(
      """
      exec 2>&1
      /usr/bin/python3 - "$OIDC_SOCK" <<'END'
      import os, socket, subprocess, sys, time
      silent = []
      for count in range(100):
          silent.append(socket.socket(socket.AF_UNIX))
          silent[-1].connect(sys.argv[1])
          if count % 2:
              silent[-1].send(b"{")
          if count % 25 == 24:
              start = time.monotonic()
              subprocess.run(["oidc-token", "work"], check=True)
              # The agent would wait 10 s for a silent program.
              assert time.monotonic() - start < 9
      END
      """
    ).succeeded()
    #expect(text == String(repeating: token, count: 4))
    try endAgent()
  }

  @Test
  func manyClientsAtOnceCauseOneRefresh() throws {
    try person.expireTokens()
    try person.backend.clear()
    let text = try client(
      "for number in 1 2 3 4 5 6 7 8 9 10; do oidc-token work & done; wait"
    ).succeeded()
    #expect(text.split(separator: "\n").count == 10 && Set(text.split(separator: "\n")).count == 1)
    #expect(try person.backend.requests().map(\.path) == ["/auth/refresh"])
    try endAgent()
  }

  @Test
  func withoutAPersonTheClientIsToldWhatToDo() throws {
    let terminal = try person.terminal("presence", "enable", "work")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    try terminal.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    let refused = try client("oidc-token work 2>&1")
    #expect(refused.end != .exited(0) && refused.text.contains("presence check"), "\(refused)")
    let unlock = try person.terminal("unlock", "work")
    try unlock.expect("System password for")
    try unlock.enter(person.systemPassword)
    try unlock.end()
    #expect(try client("oidc-token work").succeeded().hasPrefix("at_"))
    try endAgent()
  }

  /// The other client asks while the first one waits, and again after it.
  @Test
  func aProviderThatNeverAnswersKeepsNoOtherClientWaiting() throws {
    try person.shell("echo 'timeout = 6s' >>~/.config/thumblatch/providers.d/dev.conf").succeeded()
    try person.register("slow")
    try person.expireTokens()
    let token = try person.run("token", "work").succeeded()
    try person.backend.clear()
    try person.backend.fail(.init("/auth/refresh", .hang, count: 100))
    let waiting = try person.oidcToken("slow", at: socket)
    try person.backend.waitForRequests("/auth/refresh")
    #expect(try client("oidc-token work").succeeded() == token)
    let said = try waiting.text()
    #expect(said.contains("no answer came back") && !said.contains("at_"), "\(said)")
    #expect(try waiting.child.wait() != .exited(0))
    #expect(try client("oidc-token work").succeeded() == token)
    try endAgent()
  }
}
