internal import GTK
internal import System

/// The entry of the person by which the desktop starts the app with the session.
///
/// It is a file of the Desktop Application Autostart Specification.
struct Autostart: Sendable {
  private static let longest = 64 * 1024

  private let directory: String
  private let name: String
  private let options: [String]

  /// Finds the directory; `nil` if the person has no place for configuration.
  init?(id: String, options: [String]) {
    guard let home = ThisProcess.configurationHome() else { return nil }
    directory = home + "/autostart"
    name = id + ".desktop"
    self.options = options + ["--background"]
  }

  /// Whether the desktop starts the app.
  ///
  /// Desktops hide an entry that the person has switched off, and do not remove it.
  var isOn: Bool {
    do throws(SystemError) {
      let place = try Directory(path: directory)
      let file = try place.openForReading(name)
      guard try file.status().kind == .regular else { return false }
      let lines = String(decoding: try file.readAll(limit: Self.longest), as: UTF8.self)
        .split(separator: "\n")
      return !lines.contains("Hidden=true")
        && !lines.contains("X-GNOME-Autostart-enabled=false")
    } catch {
      return false
    }
  }

  /// Writes the entry, or removes it.
  ///
  /// - Throws: why that is not possible, as a clause.
  func set(_ isOn: Bool) throws(AppSettingsError) {
    do throws(SystemError) {
      let place = try Directory.make(path: directory)
      guard isOn else {
        _ = try place.unlink(name)
        return
      }
      let entry = Self.entry(try ThisProcess.programPath(), options)
      try FileDestination(directory: directory, name: name)
        .write(replacing: true, isDurable: true) { file throws(SystemError) in
          try file.write(entry)
        }
    } catch {
      throw AppSettingsError(tr("the entry in %s was not changed: %s", directory, "\(error)"))
    }
  }

  /// The entry for a program.
  private static func entry(_ path: String, _ options: [String]) -> String {
    // Desktop Entry Specification, "The Exec key": these are quoted, and the quotes once more as a
    // value.
    var quoted = ""
    for character in path {
      switch character {
      case "\"", "`", "$": quoted += "\\\\\(character)"
      case "\\": quoted += "\\\\\\\\"
      case "%": quoted += "%%"
      default: quoted.append(character)
      }
    }
    return """
      [Desktop Entry]
      Type=Application
      Name=Thumblatch
      Exec="\(quoted)" \(options.joined(separator: " "))
      Icon=io.thumblatch.Desktop
      NoDisplay=true

      """
  }
}
