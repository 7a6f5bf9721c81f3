internal import Glibc
internal import System

/// Opens a page in the person's own browser.
///
/// `$BROWSER` selects the browser, or else xdg-open does. It is started without a shell, so that no
/// part of an address becomes a command, and without any of our descriptors.
package struct Browser {
  /// The search path if PATH is not set.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"
  /// A browser that fails within this time after its start has not opened the page, in seconds.
  private static let timeout: Int64 = 20

  private var candidates: ArraySlice<[String]>
  private let path: String
  private let variables: [String]
  private let mask: UInt32?
  private var child: ChildProcess?
  private var startedAt = BootInstant.now

  /// Prepares to open an address.
  ///
  /// - Parameters:
  ///   - url: the address to open; it begins with a scheme, so no program reads it as an option.
  ///   - environment: looks up BROWSER and PATH.
  ///   - variables: the environment of the browser.
  ///   - mask: the file mode mask of the browser (umask(2)); `nil` makes its files private to the
  ///     owner.
  package init(
    _ url: String,
    environment: (String) -> String?,
    variables: [String],
    mask: UInt32?
  ) {
    candidates = Self.candidates(environment, url: url)[...]
    path = Self.path(environment)
    self.variables = variables
    self.mask = mask
  }

  /// Whether there is a program to start; it may still fail to open a page.
  package static func isThere(_ environment: (String) -> String?) -> Bool {
    let path = path(environment)
    return candidates(environment, url: "").contains { locate($0[0], path) != nil }
  }

  /// Whether the person can see a browser that is started here.
  ///
  /// False if the terminal belongs to another machine.
  package static func isSeen(_ environment: (String) -> String?) -> Bool {
    func isSet(_ names: [String]) -> Bool {
      names.contains { !(environment($0) ?? "").isEmpty }
    }
    return isSet(["WAYLAND_DISPLAY", "DISPLAY", "BROWSER"])
      && !isSet(["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"])
  }

  private static func candidates(_ environment: (String) -> String?, url: String) -> [[String]] {
    let all = commands(environment("BROWSER") ?? "", url: url)
    return all.isEmpty ? [["xdg-open", url]] : all
  }

  private static func path(_ environment: (String) -> String?) -> String {
    let path = environment("PATH") ?? ""
    return path.isEmpty ? standardPath : path
  }

  /// Parses the commands of `$BROWSER`.
  ///
  /// Colons separate commands, and spaces separate words. `%s` is the address, which is appended if
  /// it is missing; `%%` is a percent sign and `%c` a colon.
  static func commands(_ wish: String, url: String) -> [[String]] {
    wish.split(separator: ":").compactMap { entry in
      var isPlaced = false
      var words: [String] = []
      for word in entry.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        var text = ""
        var rest = Array(word)[...]
        while let character = rest.popFirst() {
          switch (character, rest.first) {
          case ("%", "s"): text += url
          case ("%", "c"): text += ":"
          case ("%", "%"): text += "%"
          default:
            text.append(character)
            continue
          }
          isPlaced = isPlaced || rest.first == "s"
          rest.removeFirst()
        }
        words.append(text)
      }
      guard !words.isEmpty else { return nil }
      return isPlaced ? words : words + [url]
    }
  }

  /// Starts the next browser that can be started; false if there is none left.
  package mutating func start() -> Bool {
    while let command = candidates.popFirst() {
      guard let program = Self.locate(command[0], path) else { continue }
      let started = try? ChildProcess(
        path: program,
        arguments: Array(command.dropFirst()),
        environment: variables,
        descriptors: [-1, -1, -1],
        newSession: true,
        // The files of a browser are not secrets of this program.
        mask: mask ?? 0o077
      )
      guard let started else { continue }
      child = started
      startedAt = .now
      return true
    }
    child = nil
    return false
  }

  /// Checks the started browser, and starts the next one if it failed at once.
  ///
  /// xdg-open fails that way if there is no browser.
  ///
  /// - Returns: false if no browser is left.
  package mutating func look() -> Bool {
    guard let running = child, let end = try? running.poll() else { return true }
    child = nil
    guard end != .exited(0), BootInstant.now.seconds(since: startedAt) < Self.timeout else {
      return true
    }
    return start()
  }

  /// Lets a running browser continue.
  ///
  /// A long-running program must reap it at its end; otherwise the kernel keeps a zombie.
  package consuming func leave() {
    guard let child else { return }
    try? startThread { _ = try? child.wait() }
  }

  /// Whether the started browser is not known to have ended.
  var isRunning: Bool { child != nil }

  /// The path of a program; only absolute paths are accepted, because any user may own the working
  /// directory.
  private static func locate(_ name: String, _ path: String) -> String? {
    let candidates =
      name.contains("/") ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
    return candidates.first { candidate in
      var status = stat()
      guard candidate.hasPrefix("/"), unsafe stat(candidate, &status) == 0 else { return false }
      return unsafe (status.st_mode & S_IFMT == S_IFREG && access(candidate, X_OK) == 0)
    }
  }
}
