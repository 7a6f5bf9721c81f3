import Glibc
import System
import TestSupport
import Testing

/// The front where a service is installed: a stand-in for its engine, in its own /run.
@Suite
struct FrontServiceTests {
  /// Accepts connections, prints each request, and answers with the bytes of a file.
  private static let server = """
    import os, socket, sys, time
    own = socket.socket(socket.AF_UNIX)
    own.bind("/run/thumblatch/io.thumblatch.Vault")
    if sys.argv[2] == "foreign": os.setuid(1)
    own.listen(8)
    open("ready", "w").write("now\\n")
    while True:
      caller, _ = own.accept()
      asked = b""
      while not asked.endswith(b"\\0"):
        part = caller.recv(65536)
        if not part: break
        asked += part
      with open("asked", "ab") as file: file.write(asked.replace(b"\\0", b"\\n") or b"nothing\\n")
      try:
        if asked: caller.sendall(open("reply", "rb").read())
      except BrokenPipeError: pass  # The front has hung up.
      # The front starts after the time in the file, and has these limits.
      limit = 0.25 if b'"helper":true' in asked else 1
      took = time.monotonic() - float(open("begun").read())
      if asked and took >= limit: open("late", "w").close()
      if sys.argv[2] == "silent": sys.stdin.read()
      caller.close()
    """

  /// The outcome of the front, the output of the stand-in, and the requests that it received.
  ///
  /// On a busy machine the stand-in may answer after the limit of the front. Then the front is run
  /// again. A front that hangs up before its limit is not run again.
  func front(
    _ arguments: String,
    reply: String,
    way: String = "root",
    before: String = "true",
    environment: String = ""
  ) throws -> (outcome: FrontFixture.Outcome, asked: String) {
    var run = try tryFront(arguments, reply, way, before, environment)
    for _ in 0..<20 where run.isLate {
      run = try tryFront(arguments, reply, way, before, environment)
    }
    #expect(!run.isLate, "the stand-in was late each time")
    return (run.outcome, run.asked)
  }

  private func tryFront(
    _ arguments: String,
    _ reply: String,
    _ way: String,
    _ before: String,
    _ environment: String
  ) throws -> (outcome: FrontFixture.Outcome, asked: String, isLate: Bool) {
    let fixture = try FrontFixture()
    let directory = try Directory(path: fixture.root)
    try directory.create("server").write(Self.server)
    try directory.create("reply").write(reply)
    let user = way == "foreign" && geteuid() == 0 ? "" : "--map-root-user"
    let outcome = try fixture.run(
      "/bin/sh",
      [
        "-c",
        """
        exec unshare --mount \(user) sh -ec '
          mount -t tmpfs -o mode=755 none /run && mkdir -m 755 /run/thumblatch
          cd \(fixture.root) && mkfifo -m 666 ready open && chmod 777 .
          : >asked && chmod 666 asked && chmod 644 reply
          sleep 3600 >open & end=$!
          python3 server \(fixture.root) \(way) <open & server=$!
          trap "kill $server $end" EXIT
          timeout 60 grep -q now ready
          \(before)
          python3 -c "import time; print(time.monotonic())" >begun && chmod 644 begun
          \(environment) \(fixture.program) \(arguments)'
        """,
      ]
    )
    let asked = try directory.openForReading("asked").readAll(limit: 1 << 20)
    let isLate = try directory.names().contains("late")
    return (outcome, String(decoding: asked, as: UTF8.self), isLate)
  }

  private static let call =
    #"{"method":"io.thumblatch.Vault.AccessToken","#
    + #""parameters":{"account":"work","ask":false}}"# + "\n"

  static func reply(_ account: String = "work", more: String = "") -> String {
    #"{"parameters":{"account":"\#(account)","access_token":"of-the-service","#
      + #""token_type":"Bearer","shorter_than_requested":false\#(more)}}"# + "\0"
  }

  @Test
  func aTokenComesWithOneCall() throws {
    let (outcome, asked) = try front("token work", reply: Self.reply())
    #expect(outcome == answered("of-the-service\n"))
    #expect(asked == Self.call)
    let other = try front("token", reply: Self.reply("default"))
    #expect(other.outcome == answered("of-the-service\n"))
    #expect(other.asked == Self.call.replacing(#""account":"work","#, with: ""))
    let expiring = Self.reply().replacing(
      "\"Bearer\"",
      with: "\"Bearer\",\"expires_at\":1790000000"
    )
    #expect(try front("token work", reply: expiring).outcome == answered("of-the-service\n"))
  }

  @Test
  func aHelperOfAToolIsAnsweredByTheEngine() throws {
    let helper = Self.call.replacing("false", with: #"false,"helper":true"#)
    let longer = helper.replacing(#""ask""#, with: #""minimum_lifetime":360,"ask""#)
    let headers = #"{"Authorization":"Bearer of-the-service"}"# + "\n"
    for (words, output, call) in [
      ("token work --helper", "of-the-service\n", helper),
      ("token --helper work --min-ttl 360s", "of-the-service\n", longer),
      ("token --within 8s --min-ttl 6m work --helper", "of-the-service\n", longer),
      ("headers work --helper --within 8s", headers, helper),
    ] {
      let (outcome, asked) = try front(words, reply: Self.reply())
      #expect(outcome == answered(output) && asked == call, "\(words)")
    }
    let credential =
      #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","#
      + #""status":{"token":"of-the-service"}}"# + "\n"
    let (outcome, asked) = try front("kube-credential work", reply: Self.reply())
    let stated = helper.replacing(#""helper""#, with: #""reason":"kubernetes","helper""#)
    #expect(outcome == answered(credential) && asked == stated)
    let expiring = Self.reply().replacing("er\",", with: "er\",\"expires_at\":1790000000,")
    #expect(
      try front("kube-credential work", reply: expiring).outcome.output.contains(
        #""status":{"expirationTimestamp":"2026-09-21T14:13:20Z","token":"of-the-service"}"#
      )
    )
  }

  @Test(arguments: [
    "token work --helper --rejected", "token work --helper --min-ttl 10",
    "headers --helper work x",
    "token work --helper --min-ttl 1h30m", "token work --helper --min-ttl",
    "token --helper work -h",
    "token work --helper --min-ttl 1m --min-ttl 1m", "token work --helper --within 1s",
    "token work --helper --helper", "token work --helper --min-ttl 99999999s", "headers work",
  ])
  func otherWordsOfAHelperAreLeftToTheCommandProgram(_ words: String) throws {
    let (outcome, asked) = try front(words, reply: Self.reply())
    #expect(outcome.output == "cli\n" + words.split(separator: " ").map { "\($0)\n" }.joined())
    #expect(asked == "")
  }

  @Test
  func scopesThatAreMissingAreToldOfAsTheyAreToldOnce() throws {
    let reply = Self.reply(more: #","scope":"read write","missing_scope":"mail send""#)
    let outcome = try front("token work", reply: reply).outcome
    #expect(outcome.output == "of-the-service\n")
    #expect(
      outcome.errors
        == "note: the provider did not grant all scopes of work; missing: mail send\n"
    )
  }

  @Test(arguments: [
    #"{"error":"io.thumblatch.Vault.PresenceNeeded","parameters":{"prompt":"p"}}"# + "\0",
    #"{"error":"io.thumblatch.Vault.NoSuchAccount","parameters":{}}"# + "\0",
    "", "\0", "{}\0", reply("other"), reply("wor"), reply("works"), reply() + "\0",
    reply() + "x", reply(more: #","new":1"#), reply(more: #","scope":"a\"b""#),
    String(reply().dropLast()), String(reply().dropLast(2)) + "\0",
    reply().replacing("false", with: "true"),
    reply().replacing("of-the-service", with: ""),
    reply().replacing("of-the-service", with: #"a\nb"#),
    reply().replacing("of-the-service", with: "a b"),
    reply().replacing("of-the-service", with: "a\u{1B}b"),
    reply().replacing("of-the-service", with: "a\u{E9}b"),
    reply().replacing("of-the-service", with: String(repeating: "a", count: 70_000)),
    String(repeating: " ", count: 70_000),
  ])
  func anyOtherReplyIsLeftToTheCommandProgram(_ reply: String) throws {
    let (outcome, asked) = try front("token work", reply: reply)
    #expect(outcome == answered("cli\ntoken\nwork\n"))
    #expect(asked == Self.call)
  }

  @Test
  func anEngineThatTakesItsTimeIsLeftToTheCommandProgram() throws {
    let (outcome, asked) = try front("token work", reply: "{", way: "silent")
    #expect(outcome == answered("cli\ntoken\nwork\n"))
    #expect(asked == Self.call)
    let helper = try front("token work --helper --within 8s", reply: "{", way: "silent").outcome
    #expect(helper == answered("cli\ntoken\nwork\n--helper\n--within\n8s\n"))
  }

  @Test(arguments: [
    "chmod 775 /run/thumblatch", "chmod 757 /run/thumblatch",
    "mv /run/thumblatch /run/t; ln -s t /run/thumblatch", "rm /run/thumblatch/io.thumblatch.Vault",
  ])
  func anUnsafeSocketDirectoryIsNotUsed(_ damage: String) throws {
    let (outcome, asked) = try front("token work", reply: Self.reply(), before: damage)
    #expect(outcome == answered("cli\ntoken\nwork\n"))
    #expect(asked == "")
  }

  @Test
  func aServerThatIsNotRootIsToldNothing() throws {
    try #require(geteuid() == 0, "only root can make a second user")
    let (outcome, asked) = try front("token work", reply: Self.reply(), way: "foreign")
    #expect(outcome == answered("cli\ntoken\nwork\n"))
    #expect(asked == "" || asked == "nothing\n")
  }

  @Test
  func anotherVaultThatIsMeantIsNotPassedOver() throws {
    let (outcome, asked) = try front(
      "token work",
      reply: Self.reply(),
      environment: "THUMBLATCH_SOCKET=/run/other"
    )
    #expect(outcome == answered("cli\ntoken\nwork\n"))
    #expect(asked == "")
    // An empty variable counts as unset, and the private vault has its own token file.
    let none = try front("token work", reply: Self.reply(), environment: "THUMBLATCH_SOCKET=")
    #expect(none.outcome == answered("of-the-service\n"))
    let own = try front("--private token work", reply: Self.reply())
    #expect(own.outcome == answered("the-token\n") && own.asked == "")
  }

  @Test
  func closedStandardDescriptorsGetNothingOfTheConnection() throws {
    let (outcome, asked) = try front("token work <&- >&-", reply: Self.reply())
    #expect(outcome.output == "" && asked == "")
  }
}
