import Glibc
import System
import TestSupport
import Testing
import VaultServer

/// The exit status of `thumblatchd --check-config --configuration PATH`.
@Suite
struct ConfigurationReportTests {
  @Test
  func aPathThatDoesNotExistIsAnError() throws {
    let scratch = try ScratchDirectory()
    #expect(ConfigurationReport.run(scratch.path) == 0)
    try scratch.open().create("fleet.conf").write("[Policy]\nwindow = 5\n")
    #expect(ConfigurationReport.run(scratch.path + "/fleet.conf") == 0)
    for name in ["/flet.conf", "/none/", "/none/fleet.conf"] {
      #expect(ConfigurationReport.run(scratch.path + name) == 2)
    }
  }
}
