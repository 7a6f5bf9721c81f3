internal import GTK
internal import System

/// The file of the app's settings, `desktop.conf` in the person's configuration.
///
/// It is read at the start and before each change. A file that cannot be used is never written.
struct AppSettingsFile: Sendable {
  private static let name = "desktop.conf"
  private static let longest = 64 * 1024

  private let directory: String

  /// The path, for a person.
  var path: String { "\(directory)/\(Self.name)" }

  /// Finds the directory; `nil` if the person has no place for configuration.
  init?() {
    guard let home = ThisProcess.configurationHome() else { return nil }
    directory = home + "/thumblatch"
  }

  /// The settings; the usual ones if there is no file.
  func read() throws(AppSettingsError) -> AppSettings {
    let place: Directory
    do throws(SystemError) { place = try Directory(path: directory) } catch {
      guard error.isMissing else {
        throw AppSettingsError(tr("it cannot be read: %s", "\(error)"))
      }
      return .usual
    }
    return try Self.text(in: place).settings
  }

  /// Changes one setting, and keeps all other lines.
  func set(_ key: AppSettings.Key, _ value: Bool) throws(AppSettingsError) -> AppSettings {
    let place: Directory
    do throws(SystemError) { place = try Directory.make(path: directory) } catch {
      throw AppSettingsError(tr("it cannot be written: %s", "\(error)"))
    }
    var text = try Self.text(in: place)
    text.set(key, value)
    let bytes = text.bytes
    do throws(SystemError) {
      try FileDestination(directory: directory, name: Self.name)
        .write(replacing: true, isDurable: true) { file throws(SystemError) in
          try file.write(bytes)
        }
    } catch {
      throw AppSettingsError(tr("it could not be written: %s", "\(error)"))
    }
    return text.settings
  }

  private static func text(
    in place: borrowing Directory
  ) throws(AppSettingsError) -> AppSettingsText {
    let content: (status: FileStatus, bytes: [UInt8])?
    do throws(SystemError) { content = try Self.content(in: place) } catch {
      throw AppSettingsError(tr("it cannot be read: %s", "\(error)"))
    }
    guard let (status, bytes) = content else { return try AppSettingsText([]) }
    guard status.kind == .regular else { throw AppSettingsError(tr("it is not a file")) }
    guard FileOwner(of: status).isRootOrOwn, status.mode & 0o022 == 0 else {
      throw AppSettingsError(tr("other users can write to it"))
    }
    return try AppSettingsText(bytes)
  }

  private static func content(
    in place: borrowing Directory
  ) throws(SystemError) -> (status: FileStatus, bytes: [UInt8])? {
    guard try place.contains(name) else { return nil }
    let file = try place.openForReading(name)
    let status = try file.status()
    return (status, status.kind == .regular ? try file.readAll(limit: longest) : [])
  }
}
