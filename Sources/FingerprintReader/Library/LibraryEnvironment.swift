internal import CFprint
internal import Glibc

/// The environment variables that libfprint and GLib obey.
package enum LibraryEnvironment {
  /// Prefixes of variables that add a reader, load a module, or make a warning fatal.
  private static let prefixes = ["FP_", "G_", "GIO_", "GLIB_", "GSETTINGS_", "GUSB_", "LIBUSB_"]

  /// Removes every variable that libfprint or a library below it would obey.
  ///
  /// Call it first, while there is one thread: unsetenv(3) is safe only then. GLib reads G_DEBUG
  /// before main(), so its fatal levels are reset too.
  package static func clear() {
    for name in names() where prefixes.contains(where: { name.hasPrefix($0) }) {
      unsafe unsetenv(name)
    }
    cfprint_reset_fatal_levels()
  }

  private static func names() -> [String] {
    var names: [String] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let variable = unsafe String(cString: text)
      names.append(String(variable.prefix { $0 != "=" }))
      unsafe entry += 1
    }
    return names
  }
}
