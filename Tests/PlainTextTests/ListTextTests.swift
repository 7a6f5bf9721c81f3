import Testing

@testable import PlainText

struct ListTextTests {
  @Test(arguments: [
    ([String](), ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c"),
  ])
  func aListHasTheWordBeforeItsLastText(_ texts: [String], _ list: String) {
    #expect(texts.listed("or") == list)
  }
}
