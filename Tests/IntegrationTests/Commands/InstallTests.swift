import Glibc
import TestSupport
import Testing

/// `Scripts/build --prefix`, and an app that finds the installed programs.
struct InstallTests {
  @Test
  func aPrefixHoldsTheProgramsAndAnAppFindsThem() throws {
    let person = try Person()
    let prefix = person.home + "/.local"
    defer { _ = try? endEngine(prefix) }
    try shell("umask 000; cd /; \(script) --no-build --prefix \(prefix)")
    try shell("chown -R \(person.user.name) \(prefix)")
    let link = try shell("readlink \(prefix)/bin/thumblatch")
    #expect(link == "\(prefix)/libexec/thumblatch/thumblatch\n")
    for name in ["git-credential", "docker-credential", "cargo-credential", "bazel-credential"] {
      #expect(try shell("readlink \(prefix)/bin/\(name)-thumblatch") == link)
    }
    #expect(try shell("readlink \(prefix)/bin/terraform-credentials-thumblatch") == link)
    #expect(try shell("find \(prefix)/libexec/thumblatch -perm /022") == "")
    try shell("test -f \(prefix)/share/man/man1/thumblatch.1")
    for page in ["recipes", "vault"] {
      try shell("test -f \(prefix)/share/man/man7/thumblatch-\(page).7")
    }
    #expect(try completions("thumblatch account rename ", in: prefix) == "work ")
    #expect(try completions("thumblatch account rename work ", in: prefix) == "")

    // The link leads the front to the command-line program, and that program to the engine.
    let thumblatch = prefix + "/bin/thumblatch"
    #expect(try person.shell("\(thumblatch) --version").succeeded().hasPrefix("thumblatch "))
    #expect(try person.shell("\(thumblatch) status --json").succeeded().contains("\"private\""))
    try endEngine(prefix)

    // An app in any other directory finds the engine. If there is none, the app gets advice.
    let app = try AppProcess(person, in: person.base + "/app")
    #expect(try app.run("restore") == "unauthenticated")
    let capability = try app.run("capability")
    #expect(capability.hasPrefix("passwordOnly(reason: "), "\(capability)")
    // Installed again over the existing files: a running engine still finds its helpers.
    try shell("\(script) --no-build --prefix \(prefix) && chown -R \(person.user.name) \(prefix)")
    #expect(try app.run("capability") == capability)
    try endEngine(prefix)
    #expect(try AppProcess(person, in: person.base + "/app").run("restore") == "unauthenticated")
    try endEngine(prefix)
    try shell("rm -r \(prefix)/libexec")
    let refusal = try AppProcess(person, in: person.base + "/app").run("restore")
    #expect(refusal.hasPrefix("failed notInstalled"))
    #expect(refusal.contains("Scripts/build --prefix"))
  }

  /// The completions of bash at the end of a line, from the installed completion file.
  ///
  /// The vault has one account, `work`.
  private func completions(_ line: String, in prefix: String) throws -> String {
    try shell(
      """
      bash -c '
      thumblatch() { echo "{\\"accounts\\":[{\\"name\\":\\"work\\"}]}"; }
      source \(prefix)/share/bash-completion/completions/thumblatch
      COMP_WORDS=(\(line) "")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _thumblatch
      printf "%s " "${COMPREPLY[@]}" | sed "s/^ $//"'
      """
    )
  }

  private func endEngine(_ prefix: String) throws {
    for process in processes(in: prefix + "/libexec/thumblatch", named: "thumblatchd") {
      kill(process, SIGTERM)
      try waitForEnd(process)
    }
  }

  private var script: String { BuiltPrograms.sourceDirectory + "/Scripts/build" }
}
