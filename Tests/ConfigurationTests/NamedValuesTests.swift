import Testing

@testable import Configuration

/// Few names are searched one by one, and many in a dictionary.
@Suite
struct NamedValuesTests {
  @Test(arguments: [1, 2, 15, 16, 17, 18, 40])
  func eachNameIsKeptOnce(count: Int) {
    var values = NamedValues<Int>()
    for number in 0..<count {
      let isNew = values.add(number, named: "n\(number)")
      #expect(isNew)
    }
    for number in 0..<count {
      let isNew = values.add(-1, named: "n\(number)")
      #expect(!isNew)
      #expect(values["n\(number)"] == number)
    }
    #expect(values["n\(count)"] == nil)
    #expect(values.all.map(\.name) == (0..<count).map { "n\($0)" })
    #expect(values.all.map(\.value) == Array(0..<count))
  }
}
