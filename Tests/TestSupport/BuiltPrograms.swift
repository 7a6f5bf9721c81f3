internal import System

/// The location of the programs that were built together with the tests.
public enum BuiltPrograms {
  /// The directory of the running test bundle, which also contains the programs.
  ///
  /// The bundle's own program runs from there. Under `swift test` another program may load the
  /// bundle, and then names it in its arguments.
  public static var directory: String {
    let candidates =
      [try? ThisProcess.programPath()].compactMap { $0 }
      + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    for candidate in candidates where candidate.hasSuffix(".xctest") {
      if let slash = candidate.lastIndex(of: "/") { return String(candidate[..<slash]) }
    }
    // Tests run only from a bundle, and nothing can be tested without it.
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
