import System
import TestSupport
import Testing

@testable import VaultServer

@Suite
struct ProvenanceTests {
  @Test(arguments: [
    ("bash", "bash"), ("git-remote-http", "git-remote-http"), ("Web Content", "Web Content"),
    ("büro", "büro"), ("山田", "山田"), ("bash\", PID 1", "bash?? PID 1"),
    ("a, PID 1, b", "a? PID 1? b"),
    ("\\\"", "??"), ("a\nb", "a?b"), ("a\u{1B}[2J", "a?[2J"), ("a\u{202E}b", "a?b"),
    ("a\u{2066}b\u{2069}", "a?b?"), ("\u{200F}a", "?a"), ("\u{5D0}\u{5D1}", "??"), ("\u{627}", "?"),
    ("a\u{301}\u{323}", "a??"), ("a\u{A0}b", "a?b"), ("a\u{3164}b", "a?b"), ("\u{2028}", "?"),
    ("“bash”", "?bash?"), ("😀", "?"), ("", "?"),
  ])
  func aNameNeitherEndsItsQuotesNorTurnsWhatFollows(_ name: String, _ shown: String) {
    #expect(Provenance.displayable(name) == shown)
  }

  /// A child of this process that gives itself a name.
  private func renamed(_ name: String, _ body: (Int32) throws -> Void) throws {
    let scratch = try ScratchDirectory()
    let script = """
      import ctypes, signal, sys
      assert ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0) == 0
      open(sys.argv[2] + "/ready", "w").close()
      signal.pause()
      """
    let child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-c", script, name, scratch.path],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, -1]
    )
    defer {
      child.kill()
      _ = try? child.wait()
    }
    let directory = try scratch.open()
    #expect(eventually { (try? directory.contains("ready")) == true })
    try body(child.identifier)
  }

  @Test
  func aProgramThatOnlyCallsItselfOursIsNamedBesideItsParent() throws {
    try renamed("thumblatch-evil") { process in
      let own = try #require(ProcessFacts(process: ThisProcess.identifier))
      let parent = "\"\(Provenance.displayable(own.name))\", PID \(ThisProcess.identifier)"
      #expect(Provenance.requester(of: process) == "\"thumblatch-evil\" run by \(parent)")
    }
    try renamed("bash, PID 1") { process in
      #expect(Provenance.requester(of: process) == "\"bash? PID 1\", PID \(process)")
    }
  }
}
