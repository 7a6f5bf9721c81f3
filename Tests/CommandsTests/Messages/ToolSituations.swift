@testable import Commands

// Other tools: the hosts that get a token, and the helpers.
extension Situation {
  private static let forge = """
    [git.example.org]
    account = work
    scope = read write
    username = oauth2

    [http://localhost:3000]
    account = dev

    """

  static let hosts: [Situation] = [
    Situation("host list", "none").with(hosts: ""),
    Situation("host list", "two").with(hosts: forge),
    Situation("host list", "a fault in the file").with(hosts: "[a.org]\naccount = work\nx = y\n"),
    Situation("host list", "text that is not UTF-8").with(hosts: "[a.org]\naccount = \u{1}\n"),
    Situation("host add git.example.org work", "a new host").with(hosts: ""),
    Situation("host add git.example.org work", "a host that is there").with(hosts: forge),
    Situation("host add *.example.org work", "a pattern").with(hosts: ""),
    Situation("host add http://example.org work", "plain http").with(hosts: ""),
    Situation("host add a.org work --min-ttl 90", "no unit").with(hosts: ""),
    Situation("host add a.org work --username a:b", "a user name with a colon").with(hosts: ""),
    Situation("host add a.org work --audience a\nb=c", "a line end").with(hosts: ""),
    Situation("host remove git.example.org", "a host that is there").with(hosts: forge),
    Situation("host remove a.org", "a host that is not there").with(hosts: forge),
  ]
}
