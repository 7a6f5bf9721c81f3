import Glibc
import System
import TestSupport
import Testing

// A program is killed after the check has passed at the desk, and before its caller spends that.
extension AgentTests {
  /// A program that has its prompt shown at the desk.
  ///
  /// It prints the prompt when the check has passed, and gets its token at the end of its input.
  private final class Caller {
    private static let program = """
      import json, socket, sys
      engine = socket.socket(socket.AF_UNIX)
      engine.connect(sys.argv[1])
      def call(method, **parameters):
          message = {"method": "io.thumblatch.Vault." + method, "parameters": parameters}
          engine.sendall(json.dumps(message).encode() + b"\\0")
          answer = b""
          while not answer.endswith(b"\\0"):
              part = engine.recv(65536)
              if not part: sys.exit("no answer")
              answer += part
          return json.loads(answer[:-1])
      if len(sys.argv) > 2:
          prompt = sys.argv[2]
      else:
          prompt = call("AccessToken", account="me")["parameters"]["prompt"]
          assert "error" not in call("AskAtDesktop", prompt=prompt)
          print(prompt, flush=True)
          sys.stdin.read()
      print(call("AccessToken", account="me", prompt=prompt))
      """

    let run: Run
    private let input: Descriptor

    /// With a prompt, it uses up that prompt's check at once.
    init(of person: Customer, spending prompt: String? = nil) throws {
      let (near, far) = try UnixSocket.pair()
      input = Descriptor(owning: near)
      let theirs = Descriptor(owning: far)
      let words = ["/usr/bin/python3", "-c", Self.program, person.bench.socket]
      run = try Run(
        "/usr/bin/setpriv",
        person.become + words + (prompt.map { [$0] } ?? []),
        environment: ["PATH=/usr/bin:/bin"],
        input: theirs.number
      )
    }

    /// Lets it use up the check; returns its output.
    func spend() throws -> String {
      input.shutDown()
      let text = try run.text()
      _ = try run.child.wait()
      return text
    }

    /// Kills it; returns the prompt that it printed.
    func kill() throws -> String {
      run.child.kill()
      let text = try run.text()
      _ = try run.child.wait()
      return String(text.dropLast())
    }
  }

  /// A caller whose check has passed.
  private func passed() throws -> Caller {
    try backend.clear()
    let caller = try Caller(of: person)
    try desk.sees(Self.question)
    try person.touch()
    try caller.run.waitForOutput()
    return caller
  }

  private func isSpent(_ answer: String) throws -> Bool {
    let isRefreshed = try backend.requests().contains { $0.path == "/auth/refresh" }
    #expect(answer.contains("at_") == isRefreshed, "\(answer)")
    return isRefreshed
  }

  @Test
  func theCheckOfAProgramThatWasKilledIsSpentByNoOther() throws {
    let agent = try startAgent()
    let prompt = try passed().kill()
    let other = try Caller(of: person, spending: prompt).spend()
    #expect(other.contains("PresenceFailed"), "\(other)")
    #expect(try !isSpent(other))
    try ends(try token("--no-input"), 7, "--no-input")
    try stop(agent)
  }

  /// The caller no longer needs it.
  @Test
  func theEndOfTheAgentAfterTheCheckChangesNothing() throws {
    let agent = try startAgent()
    let caller = try passed()
    kill(agent.child.identifier, SIGKILL)
    _ = try agent.child.wait()
    let answer = try caller.spend()
    #expect(try isSpent(answer), "\(answer)")
  }

  @Test
  func theCheckIsGoneWithTheEngine() throws {
    let agent = try startAgent()
    let caller = try passed()
    try bench.endEngine(by: SIGKILL)
    let answer = try caller.spend()
    let prompt = try #require(answer.split(separator: "\n").first)
    let other = try Caller(of: person, spending: String(prompt)).spend()
    #expect(other.contains("PresenceFailed"), "\(other)")
    #expect(try !isSpent(other))
    try stop(agent)
  }
}
