import Testing

@testable import Commands

/// The completions and the manual page name each verb and option of the program.
struct VerbFileTests {
  private static let share = "Sources/Installed/usr/share/"

  static let files = [
    CheckedInFile(path: share + "bash-completion/completions/thumblatch") { _ in
      BashCompletions(tree: VerbTree(verbs: Program.verbs)).text
    },
    CheckedInFile(path: share + "zsh/vendor-completions/_thumblatch") { _ in
      ZshCompletions(tree: VerbTree(verbs: Program.verbs)).text
    },
    CheckedInFile(path: share + "fish/vendor_completions.d/thumblatch.fish") { _ in
      FishCompletions(tree: VerbTree(verbs: Program.verbs)).text
    },
    CheckedInFile(path: share + "man/man1/thumblatch.1") { page in
      try #require(ManualVerbs.page(page, with: Program.verbs))
    },
  ]

  @Test(arguments: files)
  func aFileThatIsMadeFromTheVerbsIsUpToDate(_ file: CheckedInFile) throws {
    try file.check()
  }

  /// The shells know an option by its name only.
  @Test
  func anOptionTakesAValueInEachVerbOrInNone() {
    let options = Program.verbs.flatMap(\.options)
    let valued = Set(options.filter { $0.value != nil }.map(\.name))
    #expect(options.allSatisfy { $0.value != nil || !valued.contains($0.name) })
  }
}
