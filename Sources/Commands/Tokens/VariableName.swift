/// The name of an environment variable for a token.
struct VariableName: Equatable {
  static let standard = VariableName(checked: "ACCESS_TOKEN")

  let text: String

  private init(checked text: String) {
    self.text = text
  }

  /// Checks a name.
  ///
  /// The provider chooses the token. So the name must not be one that the loader, a shell or
  /// another program takes for a path, an option or a command.
  init(_ text: String) throws(CommandError) {
    let isName = text.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
    guard isName, (1...128).contains(text.utf8.count) else {
      throw .usage(
        "--name must be a name of letters, digits and underscores",
        hint: "such as API_TOKEN"
      )
    }
    let upper = text.uppercased()
    guard !Self.refused.contains(upper), !Self.refusedPrefixes.contains(where: upper.hasPrefix)
    else {
      throw .usage("--name must not be \(text), which has a special meaning for programs")
    }
    self.text = text
  }

  /// The beginnings of names that belong to the loader, the C library, shells and the desktop.
  private static let refusedPrefixes = [
    "LD_", "LC_", "BASH_", "DBUS_", "GCONV_", "GIO_", "GIT_CONFIG", "GTK_", "MALLOC_", "PERL5",
    "QT_", "RES_", "THUMBLATCH_", "XDG_",
  ]

  /// Whole names, in upper case.
  private static let refused: Set<String> = [
    // Shells.
    "BASHOPTS", "CDPATH", "ENV", "EUID", "FPATH", "GLOBIGNORE", "HISTFILE", "IFS", "OLDPWD",
    "OPTIND", "PATH", "PPID", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD", "SHELL",
    "SHELLOPTS", "SHLVL", "UID", "ZDOTDIR",
    // The C library and the session.
    "DISPLAY", "GETCONF_DIR", "GLIBC_TUNABLES", "HOME", "HOSTALIASES", "LANG", "LANGUAGE",
    "LOCALDOMAIN", "LOCPATH", "LOGNAME", "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF", "TERM",
    "TERMCAP", "TERMINFO", "TMPDIR", "TZ", "TZDIR", "USER", "WAYLAND_DISPLAY",
    // Programs that are run, or options for them.
    "BROWSER", "EDITOR", "GIT_ASKPASS", "GIT_DIR", "GIT_EDITOR", "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SSH", "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR", "JAVA_TOOL_OPTIONS", "LESSCLOSE", "LESSOPEN", "MAKEFLAGS", "MANPAGER",
    "NODE_OPTIONS", "NODE_PATH", "PAGER", "PYTHONHOME", "PYTHONINSPECT", "PYTHONPATH",
    "PYTHONSTARTUP", "RUBYLIB", "RUBYOPT", "SSH_ASKPASS", "SSH_AUTH_SOCK", "SUDO_ASKPASS",
    "VISUAL",
    // The way to the network.
    "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE",
    "CURL_CA_BUNDLE", "OPENSSL_CONF", "REQUESTS_CA_BUNDLE",
  ]
}
