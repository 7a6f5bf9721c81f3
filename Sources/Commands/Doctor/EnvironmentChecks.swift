internal import Glibc
internal import System
internal import VaultInterface

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

  let session: Session

  init(_ session: Session) {
    self.session = session
  }

  func run() -> [Finding] {
    proxies() + trust() + own() + locale() + terminal() + descriptors() + mask() + clock()
      + fprintd()
  }

  private func value(_ name: String) -> String? {
    guard let value = session.environment(name), !value.isEmpty else { return nil }
    return value
  }

  private func proxies() -> [Finding] {
    let set = Self.proxies.filter { value($0) != nil }
    guard !set.isEmpty else { return [.ok("proxy", "none in the environment")] }
    return [
      .warning(
        "proxy",
        "ignored: \(set.joined(separator: ", ")); no variable decides where tokens go",
        remedy: "where a proxy is needed: thumblatch provider add NAME --proxy URL ..."
      )
    ]
  }

  private func trust() -> [Finding] {
    let set = Self.trust.filter { value($0) != nil }
    guard !set.isEmpty else { return [] }
    return [
      .warning(
        "certificates",
        "ignored: \(set.joined(separator: ", ")); no variable decides whom to trust",
        remedy: "where a certificate of your own is needed: thumblatch provider add NAME --ca FILE"
      )
    ]
  }

  private func own() -> [Finding] {
    var found: [Finding] = []
    for name in ThisProcess.environmentNames where name.hasPrefix("THUMBLATCH_") {
      guard value(name) != nil else { continue }
      if !Self.own.contains(name) {
        let nearest = Nearest.match(name, in: Self.own).map { "did you mean \($0)? " } ?? ""
        found.append(
          .warning("environment", "\(name) means nothing", remedy: "\(nearest)unset \(name)")
        )
      } else if name == "THUMBLATCH_SOCKET" {
        found.append(
          .warning(
            "environment",
            "THUMBLATCH_SOCKET names the vault to use",
            remedy: "unset THUMBLATCH_SOCKET to use the service or your own vault"
          )
        )
      }
    }
    return found
  }

  private func locale() -> [Finding] {
    let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "C"
    let folded = locale.lowercased().filter { $0 != "-" }
    guard !folded.contains("utf8") else { return [.ok("locale", locale)] }
    return [
      .warning(
        "locale",
        "\(locale) is not UTF-8: names and passwords beyond ASCII may not arrive as typed",
        remedy: "LANG=C.UTF-8, or another locale that ends in UTF-8"
      )
    ]
  }

  private func terminal() -> [Finding] {
    guard session.output.isTerminal, ["dumb", nil].contains(value("TERM")) else { return [] }
    return [
      .warning(
        "terminal",
        "TERM does not say what this terminal is: prompts are plain lines",
        remedy: "set TERM to the terminal's kind, such as xterm-256color"
      )
    ]
  }

  private func descriptors() -> [Finding] {
    guard let limit = ThisProcess.descriptorLimit, limit < 256 else {
      return [.ok("open-files", "the limit leaves room")]
    }
    return [
      .warning(
        "open-files",
        "only \(limit) files may be open at once: an engine started from here serves few callers",
        remedy: "ulimit -n 1024"
      )
    ]
  }

  private func mask() -> [Finding] {
    guard let mask = session.inheritedMask else { return [] }
    let shown = "0" + String(mask, radix: 8)
    guard mask & 0o700 == 0 else {
      return [
        .warning(
          "umask",
          "the umask \(shown) takes rights from the owner of a file; it is not used here",
          remedy: "umask 022, or 077"
        )
      ]
    }
    return [.ok("umask", shown)]
  }

  private func clock() -> [Finding] {
    let now = WallTime.now.seconds
    guard now >= Self.leastTime else {
      return [
        .problem(
          "clock",
          "the clock says \(Timestamps.rfc3339(now)): certificates and tokens cannot be judged",
          remedy: "set the clock (timedatectl set-ntp true)"
        )
      ]
    }
    return [.ok("clock", Timestamps.rfc3339(now))]
  }

  private func fprintd() -> [Finding] {
    let service = "/usr/share/dbus-1/system-services/net.reactivated.Fprint.service"
    let bus = unsafe access("/run/dbus/system_bus_socket", F_OK) == 0
    let installed = unsafe access(service, F_OK) == 0
    return [
      .ok(
        "fprintd",
        installed
          ? bus ? "installed" : "installed, but there is no system bus"
          : "not installed: only a reader that you may open yourself is used"
      )
    ]
  }
}
