internal import Glibc
internal import SecretMemory
internal import System

/// The pinentry of a prompt: the first one that can open a window.
final class Pinentries {
  /// The programs that are tried after the one that the administrator chose.
  private static let others = ["pinentry-gnome3", "pinentry-qt", "pinentry-gtk-2"]
  private static let directory = "/usr/bin/"

  private let desktop: Desktop
  private let interrupt: Int32?
  private let replySeconds: Int64
  private let endSeconds: Int64
  /// The programs that have not failed; the first one runs, if one does.
  private var programs: [String]
  private var running: Pinentry?

  init(
    on desktop: Desktop,
    interrupt: Int32?,
    programs: [String] = installed(),
    replySeconds: Int64 = 10,
    endSeconds: Int64 = 1
  ) {
    self.desktop = desktop
    self.interrupt = interrupt
    self.programs = programs
    self.replySeconds = replySeconds
    self.endSeconds = endSeconds
  }

  /// Asks for a password, as `Pinentry.ask` does.
  ///
  /// If a program fails, such as one that finds no display, the next one asks.
  ///
  /// - Throws: `noPinentry` if each program fails, `tooLong`.
  func ask(
    _ window: Pinentry.Window,
    until deadline: BootInstant,
    events: () -> Int32,
    hasEnded: () -> Bool
  ) throws(DesktopError) -> SharedSecret? {
    while true {
      let pinentry = try started()
      do throws(DesktopError) {
        return try pinentry.ask(window, until: deadline, events: events, hasEnded: hasEnded)
      } catch {
        guard error == .noPinentry else { throw error }
        end()
        programs.removeFirst()
      }
    }
  }

  /// Ends the program, and closes its window.
  func end() { running = nil }

  private func started() throws(DesktopError) -> Pinentry {
    if let running { return running }
    while let path = programs.first {
      let found = try? Pinentry(
        path,
        on: desktop,
        interrupt: interrupt,
        replySeconds: replySeconds,
        endSeconds: endSeconds
      )
      if let found, found.opensWindow() {
        running = found
        return found
      }
      programs.removeFirst()
    }
    throw .noPinentry
  }

  /// Absolute paths of programs that only root can change.
  private static func installed() -> [String] {
    let chosen = unsafe realpath(directory + "pinentry", nil)
    defer { unsafe free(chosen) }
    let first = unsafe chosen.map { unsafe String(cString: $0) }
    let paths = [first].compactMap(\.self) + others.map { directory + $0 }
    return paths.enumerated().filter { index, path in
      !paths[..<index].contains(path) && isRootsProgram(path)
    }.map(\.element)
  }

  /// Whether a path names a program that only root can change.
  static func isRootsProgram(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && (status.st_uid == 0 || FileOwner(at: path)?.isRoot == true) && status.st_mode & 0o022 == 0
  }
}
