internal import Glibc
internal import PlainText

/// Checks the environment that a process inherits: variables, limits, umask and clock.
struct EnvironmentChecks {
  private static let proxies = [
    "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
  ]
  private static let trust = [
    "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSLKEYLOGFILE",
  ]
  private static let own = ["THUMBLATCH_STATE_DIR", "THUMBLATCH_SOCKET"]
  /// The first second of 2024: no release is older, so an earlier clock is wrong.
  private static let leastTime: Int64 = 1_704_067_200

  let caller: Caller

  init(_ caller: Caller) {
    self.caller = caller
  }

  func run() -> [Finding] {
    proxies() + trust() + own() + [locale()] + terminal() + [descriptors()] + mask() + [clock()]
      + [Self.fprintd(), Self.libfido2()]
  }

  private func proxies() -> [Finding] {
    let set = Self.proxies.filter { caller.value($0) != nil }
    guard !set.isEmpty else { return [.ok("proxy", "none in the environment")] }
    return [
      .warning(
        "proxy",
        "ignored: \(set.joined(separator: ", ")); no variable decides where tokens go",
        remedy: "if a proxy is needed: thumblatch provider add NAME --proxy URL ..."
      )
    ]
  }

  private func trust() -> [Finding] {
    let set = Self.trust.filter { caller.value($0) != nil }
    guard !set.isEmpty else { return [] }
    return [
      .warning(
        "certificates",
        "ignored: \(set.joined(separator: ", ")); no variable decides which server is trusted",
        remedy: "if a certificate of your own is needed: thumblatch provider add NAME --ca FILE"
      )
    ]
  }

  private func own() -> [Finding] {
    caller.variables.filter { $0.hasPrefix("THUMBLATCH_") && caller.value($0) != nil }
      .compactMap { name in
        guard Self.own.contains(name) else {
          return .warning(
            "environment",
            "\(name) has no meaning",
            remedy: "unset it; the variables are \(Self.own.joined(separator: " and "))"
          )
        }
        guard name == "THUMBLATCH_SOCKET" else { return nil }
        return .warning(
          "environment",
          "THUMBLATCH_SOCKET names the vault to use",
          remedy: "unset THUMBLATCH_SOCKET to use the service or your own vault"
        )
      }
  }

  private func locale() -> Finding {
    let locale = caller.value("LC_ALL") ?? caller.value("LC_CTYPE") ?? caller.value("LANG") ?? "C"
    let folded = locale.lowercased().filter { $0 != "-" }
    guard !folded.contains("utf8") else { return .ok("locale", locale) }
    return .warning(
      "locale",
      "\(locale) is not UTF-8: names and passwords beyond ASCII may not arrive as typed",
      remedy: "set LANG=C.UTF-8, or another locale that ends in UTF-8"
    )
  }

  private func terminal() -> [Finding] {
    guard caller.hasTerminal, ["dumb", nil].contains(caller.value("TERM")) else { return [] }
    return [
      .warning(
        "terminal",
        // Not in the app.
        "TERM does not name this terminal's type: prompts are plain lines",
        // Not in the app.
        remedy: "set TERM to the terminal's type, such as xterm-256color"
      )
    ]
  }

  private func descriptors() -> Finding {
    guard let limit = caller.descriptorLimit, limit < 256 else {
      return .ok("open-files", "the limit is high enough")
    }
    return .warning(
      "open-files",
      "only \(limit) files can be open at once: an engine started here can serve few callers",
      remedy: "ulimit -n 1024",
      action: .run("ulimit -n 1024")
    )
  }

  private func mask() -> [Finding] {
    guard let mask = caller.mask else { return [] }
    let shown = (mask < 0o10 ? "00" : "0") + String(mask, radix: 8)
    guard mask & 0o700 == 0 else {
      return [
        .warning(
          "umask",
          // Not in the app.
          "the umask \(shown) removes permissions from the owner of a file; it is ignored here",
          remedy: "umask 022, or 077",
          action: .run("umask 022")
        )
      ]
    }
    return [.ok("umask", shown)]
  }

  private func clock() -> Finding {
    let shown = DateTime.text(caller.now)
    guard caller.now >= Self.leastTime else {
      return .problem(
        "clock",
        "the clock says \(shown): certificates and tokens cannot be checked",
        remedy: "set the clock (timedatectl set-ntp true)"
      )
    }
    return .ok("clock", shown)
  }

  private static func fprintd() -> Finding {
    let service = "/usr/share/dbus-1/system-services/net.reactivated.Fprint.service"
    return fprintd(
      isInstalled: unsafe access(service, F_OK) == 0,
      hasBus: unsafe access("/run/dbus/system_bus_socket", F_OK) == 0
    )
  }

  static func fprintd(isInstalled: Bool, hasBus: Bool) -> Finding {
    guard isInstalled else {
      return .ok("fprintd", "not installed: only readers that you can open yourself are used")
    }
    return .ok("fprintd", hasBus ? "installed" : "installed, but there is no system bus")
  }

  /// Loads the library as the helpers do: they look for it at run time, when a key is needed.
  private static func libfido2() -> Finding {
    guard let library = unsafe dlopen("libfido2.so.1", RTLD_NOW | RTLD_LOCAL) else {
      return libfido2(isInstalled: false)
    }
    _ = unsafe dlclose(library)
    return libfido2(isInstalled: true)
  }

  static func libfido2(isInstalled: Bool) -> Finding {
    let name = "libfido2"
    guard !isInstalled else { return .ok(name, "installed") }
    return .warning(
      name,
      "libfido2.so.1 is not found: no security key can be used",
      remedy: "if you use a security key, install libfido2-1"
    )
  }
}
