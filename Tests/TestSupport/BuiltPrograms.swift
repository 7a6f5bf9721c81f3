internal import System

/// Where the programs lie that were built together with the tests.
public enum BuiltPrograms {
  /// The directory of the running test bundle, in which the programs lie as well.
  ///
  /// The bundle's own program runs from there; under `swift test` it may be loaded by another, which
  /// then names the bundle in its arguments.
  public static var directory: String {
    let candidates =
      [try? ThisProcess.programPath()].compactMap { $0 }
      + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    for candidate in candidates where candidate.hasSuffix(".xctest") {
      if let slash = candidate.lastIndex(of: "/") { return String(candidate[..<slash]) }
    }
    // Tests run from a bundle only; nothing can be tried without it.
    preconditionFailure("the test bundle's directory is not known from \(candidates)")
  }

  /// The path of a built program, such as `thumblatch-exchange`.
  public static func path(_ name: String) -> String { directory + "/" + name }

  /// The top of the source tree, for scripts and installed files.
  public static var sourceDirectory: String {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }
}
