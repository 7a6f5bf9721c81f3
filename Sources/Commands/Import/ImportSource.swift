internal import Configuration

/// A program of others that keeps logins in files of the user.
enum ImportSource: String, CaseIterable {
  case claude
  case codex
  case gemini
  case opencode
  case gh
  case gitCredentialStore = "git-credential-store"
  case oidcAgent = "oidc-agent"

  /// The name that its makers give it.
  var title: String {
    switch self {
    case .claude: Tool.claudeCode.title
    case .codex: Tool.codex.title
    case .gemini: "Gemini CLI"
    case .opencode: "opencode"
    case .gh: "gh"
    case .gitCredentialStore: "git's credential store"
    case .oidcAgent: "oidc-agent"
    }
  }

  /// The files in which it keeps logins, by its own rules; for oidc-agent their directories.
  func paths(_ environment: @escaping (String) -> String?) throws(CommandError) -> [String] {
    guard let home = ToolEnvironment(environment).value("HOME") else {
      throw .usage("the home directory is not known", hint: "set HOME")
    }
    func directory(_ variable: String, _ folder: String) -> String {
      environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/\(folder)"
    }
    switch self {
    case .claude:
      return ["\(try Tool.claudeCode.directory(environment))/.credentials.json"]
    case .codex:
      let folder = try Tool.codex.directory(environment)
      return ["\(folder)/auth.json", "\(folder)/.credentials.json"]
    case .gemini:
      return ["\(home)/.gemini/oauth_creds.json", "\(home)/.gemini/mcp-oauth-tokens.json"]
    case .opencode:
      let folder = directory("XDG_DATA_HOME", ".local/share") + "/opencode"
      return ["\(folder)/auth.json", "\(folder)/mcp-auth.json"]
    case .gh:
      let usual = directory("XDG_CONFIG_HOME", ".config") + "/gh"
      let chosen = environment("GH_CONFIG_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
      return ["\(chosen ?? usual)/hosts.yml"]
    case .gitCredentialStore:
      let folder = directory("XDG_CONFIG_HOME", ".config") + "/git"
      return ["\(home)/.git-credentials", "\(folder)/credentials"]
    case .oidcAgent:
      let chosen = environment("OIDC_CONFIG_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
      return chosen.map { [$0] } ?? ["\(home)/.config/oidc-agent", "\(home)/.oidc-agent"]
    }
  }

  /// The command that removes a login from the running program; `nil` if it must be ended.
  func unloading(_ entry: String) -> String? {
    self == .oidcAgent ? "oidc-add --remove \(entry)" : nil
  }

  /// The advice if its files have no login.
  var elsewhere: String? {
    switch self {
    case .codex: "Codex may keep its login in the keyring, which import does not read: sign in here"
    case .gh:
      "gh may keep its token in the keyring; to store it: gh auth token"
        + " | thumblatch store NAME --host github.com --secret-stdin"
    default: nil
    }
  }

  /// Whether its entries are passwords or tokens without a login.
  var keepsSecrets: Bool { self == .gh || self == .gitCredentialStore }

  /// How the program gets tokens of an account from now on; `nil` if it cannot.
  ///
  /// A login is for the URL `server`, and a secret for `host`.
  func use(of account: String, server: String?, host: TokenHost?) -> String? {
    let url = server.map { " --mcp \($0)" }
    return switch self {
    case .claude: url.map { "thumblatch setup claude-code \(account)\($0)" }
    case .codex: url.map { "thumblatch setup codex \(account)\($0)" }
    case .gh: "thumblatch exec \(account) --name \(Self.variableOfGh(for: host)) -- gh ..."
    case .gitCredentialStore: "git config --global credential.helper thumblatch"
    case .oidcAgent: "thumblatch agent --oidc-agent"
    case .gemini, .opencode: nil
    }
  }

  /// The variable from which gh reads the token of a host (`gh help environment`).
  private static func variableOfGh(for host: TokenHost?) -> String {
    let isGitHub = host.map { $0.text == "github.com" || $0.text.hasSuffix(".ghe.com") } ?? true
    return isGitHub ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"
  }
}
