import Glibc
import System
import TestSupport
import Testing

/// `exec`, `env` and `headers` with real programs.
@Suite(.serialized)
struct ExecCommandTests {
  /// Every kind of character that a token may have and a shell may take for its own.
  private static let odd = #"at_'"\\$(id)`id`!*?[a]{b}~;&|<>#%=-_.+/,:@^"#

  private func signedIn() throws -> (person: Person, token: String) {
    let person = try Person()
    try person.register()
    return (person, String(try person.run("token", "me").succeeded().dropLast()))
  }

  /// Runs a script in which `$T` is the program.
  private func run(_ person: Person, _ script: String) throws -> (text: String, end: ProcessEnd) {
    let outcome = try person.shell("T=\(person.programs)/thumblatch; " + script)
    return (outcome.text, outcome.end)
  }

  @Test
  func theCommandGetsTheTokenAndItsStatusIsTheEnd() throws {
    let (person, token) = try signedIn()
    for (script, text, status) in [
      (#"$T exec me -- sh -c 'echo "$ACCESS_TOKEN"; exit 7'"#, token + "\n", 7),
      (#"$T exec -- sh -c 'echo "$ACCESS_TOKEN"'"#, token + "\n", 0),
      ("$T exec me --name A_1 -- printenv A_1", token + "\n", 0),
      ("A_1=x $T exec me --name A_1 -- printenv A_1", token + "\n", 0),
      ("$T exec me --fd 3 -- sh -c 'cat <&3; ! env | grep -F at_'", token + "\n", 0),
      ("$T exec me --fd 9 -- sh -c 'read -r X <&9; echo $X; cat <&9'", token + "\n", 0),
      ("$T exec me --fd 3 -- sh -c 'cat /proc/$$/cmdline' | grep -cF at_", "0\n", 1),
      ("$T exec me -- sh -c 'cat /proc/$$/cmdline' | grep -cF at_", "0\n", 1),
      // Before the command runs, the statuses are those of the manual page.
      ("$T exec nobody -- echo ran 2>/dev/null", "", 9),
      ("$T exec ../me -- echo ran 2>/dev/null", "", 2),
      ("$T exec me --name LD_PRELOAD -- echo ran 2>/dev/null", "", 2),
      ("$T exec me -- no-such-program 2>/dev/null", "", 2),
      ("PATH= $T exec me -- sh -c 'echo ran' 2>/dev/null", "", 2),
      ("{ $T exec me -- sh -c 'kill -TERM $$'; echo $?; } 2>/dev/null", "143\n", 0),
    ] as [(String, String, Int32)] {
      let outcome = try run(person, script)
      #expect(outcome == (text, .exited(status)), "\(script)")
    }
    let log = try person.run("audit", "--json").succeeded()
    #expect(!log.contains(token))
  }

  @Test
  func theCommandTakesThePlaceOfTheProgram() throws {
    let (person, _) = try signedIn()
    // It has the same process, and finds all as its caller left it.
    let pid = try run(person, "sh -c 'echo $$; exec '$T' exec me -- sh -c \"echo \\$\\$\"'").text
    let lines = pid.split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == lines[1])
    for command in [
      "cd /proc/$$/fd; echo *", "pwd; umask; cat; ulimit -Sc; ulimit -Hc",
      "grep -E '^(SigIgn|SigBlk|NoNewPrivs|Seccomp):' /proc/self/status; cat /proc/self/timerslack_ns",
      "env | grep -v -e ^ACCESS_TOKEN= -e ^_= | sort", "ps -o ppid= $$ | grep -c .", "tty",
    ] {
      for around in [
        "cd /usr; umask 027; echo in |", "exec 7>/dev/null; trap '' HUP XFSZ CONT; cd /tmp; ",
        "exec <&-;",
      ] {
        let plain = try run(person, "\(around) sh -c '\(command)'").text
        #expect(try run(person, "\(around) $T exec me -- sh -c '\(command)'").text == plain)
      }
    }
    let bytes = "$T exec me -- printf %s \"$(printf 'a\\377 b')\" | od -An -tx1"
    #expect(try run(person, bytes).text == " 61 ff 20 62\n")
    let mapped = try run(person, "$T exec me -- grep -c -e memfd -e secretmem /proc/self/maps").text
    #expect(mapped == "0\n", "no memory of the program is left")
  }

  @Test
  func aTokenOfOddBytesArrivesAsItIs() throws {
    let (person, _) = try signedIn()
    let escaped = Self.odd.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    try person.expireTokens()
    try person.backend.fail(
      .init(
        "/auth/refresh",
        .status(200),
        body: """
          {"access_token": "\(escaped)", "refresh_token": "rt_2", "token_type": "Bearer",
          "expires_in": 900, "user": {"id": "1", "email": "me@example.org", "name": "M"}}
          """
      )
    )
    for script in [
      "$T token me", "$T exec me -- printenv ACCESS_TOKEN", "$T exec me --fd 3 -- sh -c 'cat <&3'",
      #"eval "$($T env me)"; printenv ACCESS_TOKEN"#,
      #"bash -c "eval \"\$($T env me)\"; printenv ACCESS_TOKEN""#,
      "fish --no-config -c \"$T env me --shell fish | source; printenv ACCESS_TOKEN\"",
      "tcsh -f -c \"eval \\\"\\`$T env me --shell csh\\`\\\"; printenv ACCESS_TOKEN\"",
      "$T headers me | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"Authorization\"][7:])'",
    ] {
      let outcome = try run(person, script)
      #expect(outcome == (Self.odd + "\n", .exited(0)), "\(script)")
    }
  }

  @Test
  func aCheckAtTheTerminalComesFirstAndLeavesItAsItWas() throws {
    let (person, _) = try signedIn()
    let enabling = try person.terminal("presence", "enable", "me")
    try enabling.expect("System password for")
    try enabling.enter(Someone.systemPassword)
    try enabling.end()
    try person.expireTokens()
    try person.run("lock").succeeded()
    // Without a terminal the command does not run.
    let refused = try person.run("exec", "me", "--", "echo", "ran")
    #expect(refused.end == .exited(7) && !refused.text.contains("\nran"))

    let script = "trap 'echo caught; exit 5' INT; stty -a; echo has ${#ACCESS_TOKEN}; read line"
    let terminal = try person.terminal("exec", "me", "--", "sh", "-c", script)
    try terminal.expect("System password for")
    try terminal.enter(Someone.systemPassword)
    let modes = try terminal.expect("has ")
    #expect(modes.contains(" echo ") && modes.contains(" icanon") && modes.contains("isig"))
    // Ctrl-C is the command's own.
    try terminal.type("\u{3}")
    try terminal.expect("caught")
    let shown = try terminal.end(5)
    #expect(!shown.contains("at_"))

    try person.expireTokens()
    try person.run("lock").succeeded()
    let interrupted = try person.terminal("exec", "me", "--", "echo", "ran")
    try interrupted.expect("System password for")
    try interrupted.type("\u{3}")
    #expect(try !interrupted.end(130).contains("\nran"))
  }
}
