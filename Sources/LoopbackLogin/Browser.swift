internal import Glibc
internal import System

/// Opens a page in the person's own browser.
///
/// Which one says `$BROWSER`, else xdg-open. It is started without a shell, so that nothing in an
/// address is ever a command, and without a descriptor of ours.
public struct Browser {
  /// Where programs are looked for without PATH.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"
  /// How long after its start a browser that fails is taken to have opened nothing, in seconds.
  private static let patience: Int64 = 20

  private var candidates: ArraySlice<[String]>
  private let path: String
  private let variables: [String]
  private let mask: UInt32?
  private var child: ChildProcess?
  private var startedAt = BootInstant.now

  /// Prepares to open an address.
  ///
  /// - Parameters:
  ///   - url: what is opened: no option of any program, since it begins with a scheme.
  ///   - environment: where BROWSER and PATH are looked up.
  ///   - variables: what the browser gets for an environment.
  ///   - mask: what the browser's files are masked with (umask(2)); nil: for its
  ///     owner alone.
  public init(
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

  /// Whether there is a program to start; whether it opens anything is seen later.
  public static func isThere(_ environment: (String) -> String?) -> Bool {
    let path = path(environment)
    return candidates(environment, url: "").contains { locate($0[0], path) != nil }
  }

  /// Whether a browser that is started here is seen by whoever types: not where the terminal is
  /// another machine's.
  public static func isSeen(_ environment: (String) -> String?) -> Bool {
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

  /// The commands of `$BROWSER`: a colon between two, words separated by spaces; `%s` is the address,
  /// which stands at the end where none is, `%%` a percent sign and `%c` a colon.
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

  /// Starts the first one that can be started; false where there is none left.
  public mutating func start() -> Bool {
    while let command = candidates.popFirst() {
      guard let program = Self.locate(command[0], path) else { continue }
      let started = try? ChildProcess(
        path: program,
        arguments: Array(command.dropFirst()),
        environment: variables,
        descriptors: [-1, -1, -1],
        newSession: true,
        // Files that a browser makes are none of this program's secrets.
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

  /// Looks after the one that was started: if it failed at once, as xdg-open does where there is no
  /// browser, the next one is started.
  ///
  /// - Returns: false if now none is left.
  public mutating func look() -> Bool {
    guard let running = child, let end = try? running.poll() else { return true }
    child = nil
    guard end != .exited(0), BootInstant.now.seconds(since: startedAt) < Self.patience else {
      return true
    }
    return start()
  }

  /// Leaves one that runs still to itself.
  ///
  /// A program that goes on running has to take note of its end, else the kernel keeps it.
  public consuming func leave() {
    guard let child else { return }
    try? startThread { _ = try? child.wait() }
  }

  /// Whether one that was started has not been seen to end.
  var isRunning: Bool { child != nil }

  /// Where a program lies; only whole paths are believed, as the working directory is anybody's.
  private static func locate(_ name: String, _ path: String) -> String? {
    let places =
      name.contains("/") ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
    return places.first { place in
      var status = stat()
      guard place.hasPrefix("/"), unsafe stat(place, &status) == 0 else { return false }
      return unsafe (status.st_mode & S_IFMT == S_IFREG && access(place, X_OK) == 0)
    }
  }
}
