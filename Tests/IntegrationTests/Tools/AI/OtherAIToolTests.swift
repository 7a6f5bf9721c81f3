import System
import TestSupport
import Testing

/// The recipe of thumblatch-recipes(7) for AI tools that are not here.
///
/// For each tool, a script reads the settings that its documentation names: its file, the variables
/// in that file, or the command for a secret.
@Suite(.serialized)
struct OtherAIToolTests {
  private static let standIns = #"""
    mkdir ~/tools; export PATH=$HOME/tools:$PATH
    cat >~/tools/gemini <<'END'
    #!/usr/bin/python3
    import json, os
    file = open(os.path.expanduser("~/.gemini/settings.json"))
    server = json.load(file)["mcpServers"]["work"]
    print("gemini", server["httpUrl"], os.path.expandvars(server["headers"]["Authorization"]))
    END
    cat >~/tools/opencode <<'END'
    #!/usr/bin/python3
    import json, os, re
    file = open(os.path.expanduser("~/.config/opencode/opencode.json"))
    server = json.load(file)["mcp"]["work"]
    header = server["headers"]["Authorization"]
    header = re.sub(r"\{env:(\w+)\}", lambda match: os.environ[match[1]], header)
    print("opencode", server["type"], server["url"], header)
    END
    printf '#!/bin/sh\necho copilot $COPILOT_GITHUB_TOKEN\n' >~/tools/copilot
    printf '#!/bin/sh\necho $1 $GITHUB_PERSONAL_ACCESS_TOKEN\n' >~/tools/github-mcp-server
    cat >~/tools/code <<'END'
    #!/usr/bin/python3
    import json, os, subprocess
    file = open(os.path.expanduser("~/.config/Code/User/mcp.json"))
    for server in json.load(file)["servers"].values():
        print(server["type"], flush=True)
        subprocess.run([server["command"], *server["args"]], check=True)
    END
    chmod 755 ~/tools/*
    sbx() {
      test "$1 $2 $3 $4 $5 $6" = "secret set github --refresh on-demand --command"
      echo "sbx $(sh -c "$7")"
    }
    """#

  @Test
  func eachToolGetsTheToken() throws {
    // The recipe needs tokens that are valid for an hour.
    let person = try Person(["--access-lifetime", "7200"])
    try person.register("work")
    try person.register("github")
    let recipe = try ToolRecipe(
      "OTHER AI TOOLS",
      host: "mcp.example.org",
      programs: person.programs
    )
    let text = try person.shell(
      """
      set -eu; export PATH=\(person.programs):$PATH; cd ~; exec 2>&1
      \(Self.standIns)
      \(recipe.script)
      code
      """
    ).succeeded()
    let work = try person.run("token", "work").succeeded().dropLast()
    let github = try person.run("token", "github").succeeded()
    let url = "https://mcp.example.org/mcp"
    #expect(
      text == """
        gemini \(url) Bearer \(work)
        opencode remote \(url) Bearer \(work)
        copilot \(github)sbx \(github)stdio
        stdio \(github)
        """
    )
  }
}
