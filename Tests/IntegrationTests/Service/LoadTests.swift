import Glibc
import System
import TestSupport
import Testing

/// The short form of `Scripts/load`, with ratios and limits that hold on a busy machine too.
///
/// `Scripts/load` uses the whole machine.
@Suite(.serialized)
struct LoadTests {
  @Test
  func aCrowdOfOneUserKeepsNoOtherWaiting() throws {
    try #require(geteuid() == 0, "the service's own path and other users are root's to use")
    let vault = try TestVault()
    let (text, end) = try output(
      of: BuiltPrograms.sourceDirectory + "/Scripts/load",
      ["--short", vault.programs]
    )
    #expect(end == .exited(0), "\(text)")
    #expect(text.contains(/half, 10000 connections of one user/), "\(text)")
  }
}
