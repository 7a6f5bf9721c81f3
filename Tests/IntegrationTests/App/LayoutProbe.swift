import TestSupport

/// The library by which the desktop app tells the faults of its layout: layout.c.
enum LayoutProbe {
  private static let built = Result {
    let library = try Programs.scratch.get() + "/layout.so"
    let source = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/layout.c"
    try shell(
      """
      umask 022
      cc -shared -fPIC -Wall -Werror -o \(library) \(source) \
        $(pkg-config --cflags --libs libadwaita-1)
      """
    )
    return library
  }

  /// The library, where a person may read it.
  static func library(of person: Someone) throws -> String {
    let path = person.base + "/layout.so"
    try shell("install -m 644 \(built.get()) \(path)")
    return path
  }
}
