import Glibc
import QRCode
import System
import TestSupport
import Testing

@testable import Commands

/// QR codes as a terminal shows them, read back by a program that reads pictures.
struct QRPictureTests {
  private static let utf8 = ["LANG": "C.UTF-8"]

  /// Renders lines of block characters, draws each module as a square of pixels, and reads the
  /// picture with zbarimg(1).
  static func read(_ lines: [String], isDark ink: Bool = true) throws -> String {
    let size = 4
    var rows: [[UInt8]] = []
    for line in lines {
      var upper: [UInt8] = []
      var lower: [UInt8] = []
      for character in line {
        let (top, bottom) =
          switch character {
          case "█": (true, true)
          case "▀": (true, false)
          case "▄": (false, true)
          default: (false, false)
          }
        upper += [UInt8](repeating: top == ink ? 0 : 255, count: size)
        lower += [UInt8](repeating: bottom == ink ? 0 : 255, count: size)
      }
      rows += [[UInt8]](repeating: upper, count: size) + [[UInt8]](repeating: lower, count: size)
    }
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    // pgm(5): width, height and the largest value, then a byte for each pixel.
    try directory.create("code.pgm").write(
      Array("P5 \(rows[0].count) \(rows.count) 255\n".utf8) + rows.flatMap { $0 }
    )
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let child = try ChildProcess(
      path: "/usr/bin/zbarimg",
      arguments: ["--quiet", "--raw", "--nodbus", "\(scratch.path)/code.pgm"],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, theirs.number, -1]
    )
    _ = consume theirs
    let text = String(decoding: try ours.readAll(limit: 1 << 16), as: UTF8.self)
    _ = try child.wait()
    withExtendedLifetime(scratch) {}
    return String(text.drop { $0 == "\n" }.prefix { $0 != "\n" })
  }

  @Test(arguments: [
    "https://id.example/device?user_code=WDJB-MJHT", "h",
    "https://id.example/" + String(repeating: "x", count: 400),
  ])
  func aReaderReadsWhatWasEncoded(_ text: String) throws {
    let lines = try #require(
      QRPicture.lines(of: text, columns: 200, environment: { Self.utf8[$0] })
    )
    #expect(try Self.read(lines) == text)
    #expect(Set(lines.map(\.count)).count == 1)
  }

  @Test
  func nothingIsDrawnWhereItCannotBeRight() {
    let text = "https://id.example/device"
    let code = try? QRCode(text)
    let width = (code?.width ?? 0) + 8
    for (columns, environment, isDrawn) in [
      (width, ["LANG": "en_GB.UTF-8"], true), (width, ["LC_ALL": "C.utf8", "LANG": "C"], true),
      (width, ["LC_CTYPE": "de_DE.UTF-8@euro"], true), (width - 1, ["LANG": "C.UTF-8"], false),
      (width, ["LC_ALL": "C", "LANG": "C.UTF-8"], false), (width, [:], false),
      (nil, ["LANG": "C.UTF-8"], false),
    ] as [(Int?, [String: String], Bool)] {
      let lines = QRPicture.lines(of: text, columns: columns, environment: { environment[$0] })
      #expect((lines != nil) == isDrawn, "\(environment)")
    }
  }

  @Test
  func whatIsTooLongIsNoCode() {
    #expect(throws: QRCodeError.length(0)) { try QRCode("") }
    #expect(throws: QRCodeError.length(513)) { try QRCode(String(repeating: "x", count: 513)) }
    #expect(throws: Never.self) { try QRCode(String(repeating: "x", count: 512)) }
  }
}
