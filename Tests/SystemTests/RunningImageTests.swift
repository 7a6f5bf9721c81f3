import Testing

@testable import System

struct RunningImageTests {
  @Test(arguments: [
    ("7f00-7f10 r-xp 00000000 08:01 4242              /usr/lib/libcurl.so.4", false),
    ("7f00-7f10 r-xp 00000000 08:01 4242              /usr/lib/libcurl.so.4 (deleted)", true),
    ("7f00-7f10 rw-p 00000000 08:01 4242              /usr/lib/libcurl.so.4 (deleted)", false),
    ("7f00-7f10 rw-s 00000000 00:01 17                         /secretmem (deleted)", false),
    ("7f00-7f10 r-xp 00000000 00:00 0                          [vdso]", false),
    ("", false), ("(deleted)", false), (" (deleted)", false),
  ])
  func codeWhoseFileIsGoneIsSeen(_ line: String, _ isDeleted: Bool) {
    let other = "5500-5510 r-xp 00000000 08:01 1                         /usr/bin/x"
    for text in [line, line + "\n", other + "\n" + line + "\n" + other + "\n"] {
      #expect(RunningImage.maps(deletedCode: Array(text.utf8)) == isDeleted)
    }
  }

  @Test
  func thisProcessRunsWhatIsThere() throws {
    #expect(try RunningImage().isCurrent)
  }
}
