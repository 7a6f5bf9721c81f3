import Testing

@testable import System

struct RunningImageTests {
  @Test(arguments: [
    ("r-xp 00000000 08:01 4242              /usr/lib/libcurl.so.4", ["/usr/lib/libcurl.so.4"]),
    ("r-xp 00000000 08:01 4242              /usr/lib/libcurl.so.4 (deleted)", nil),
    ("rw-p 00000000 08:01 4242              /usr/lib/libcurl.so.4 (deleted)", []),
    ("rw-s 00000000 00:01 17                         /secretmem (deleted)", []),
    ("r-xp 00000000 00:00 0                          [vdso]", []),
    ("r-xp 00000000 08:01 4242              /opt/a b/c", ["/opt/a b/c"]),
    ("", []),
  ])
  func theFilesOfItsCodeAreFound(_ mapping: String, _ paths: [String]?) {
    let line = mapping.isEmpty ? "" : "7f00-7f10 " + mapping
    let other = "5500-5510 r-xp 00000000 08:01 1                         /usr/bin/x"
    for text in [other + "\n" + line + "\n", other + "\n" + line] {
      let found = RunningImage.codeFiles(in: Array(text.utf8))
      #expect(found == paths.map { ["/usr/bin/x"] + $0 })
    }
  }

  @Test
  func thisProcessRunsWhatIsThere() throws {
    #expect(try RunningImage().isCurrent)
  }
}
