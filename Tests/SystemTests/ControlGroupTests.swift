import System
import Testing

/// The unit of a process, from the text that the kernel writes.
@Suite
struct ControlGroupTests {
  @Test(arguments: [
    ("0::/system.slice/cron.service\n", "/system.slice/cron.service", nil),
    ("0::/user.slice/user-1000.slice/session-3.scope\n", nil, nil),
    // A unit chooses the names of its own sub-groups.
    ("0::/system.slice/web.service/user@1000.service/a.scope\n", "/system.slice/web.service", nil),
    ("0::/system.slice/a-b.slice/a-b-c.service\n", nil, nil),
    (
      "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n", nil,
      1000 as UInt32?
    ),
    (
      "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope/inner.service\n",
      "/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope", 1000
    ),
    ("0::/user.slice/user-7.slice/user@7.service\n", nil, 7),
    (
      "0::/user.slice/user-7.slice/user@7.service/strange\n",
      "/user.slice/user-7.slice/user@7.service", 7
    ),
    // systemd's names for memory.service, _own.service and cgroup.slice.
    ("0::/system.slice/_memory.service\n", "/system.slice/memory.service", nil),
    ("0::/system.slice/__own.service\n", "/system.slice/_own.service", nil),
    ("0::/_cgroup.slice/a_b.service\n", "/cgroup.slice/a_b.service", nil),
    (
      "0::/user.slice/user-7.slice/user@7.service/app.slice/_io.scope\n",
      "/user.slice/user-7.slice/user@7.service/app.slice/io.scope", 7
    ),
    // A unit may choose such a name for a sub-group too.
    ("0::/system.slice/ci.service/_..\n", "/system.slice/ci.service", nil),
    ("0::/system.slice/ci.service/_../x.service\n", "/system.slice/ci.service", nil),
    (
      "0::/user.slice/user-7.slice/user@7.service/app.slice/x.service/_..\n",
      "/user.slice/user-7.slice/user@7.service/app.slice/x.service", 7
    ),
    // Not the number of a user.
    ("0::/user@-1.service\n", nil, nil), ("0::/user@4294967296.service\n", nil, nil),
    ("0::/user@x.service\n", nil, nil),
    // systemd's own hierarchy counts, on whatever line it is.
    ("0::/\n1:name=systemd:/system.slice/a.service\n", "/system.slice/a.service", nil),
    (
      "9:name=systemd:/system.slice/a:b.service\n0::/other.service\n", "/system.slice/a:b.service",
      nil
    ),
    ("5:cpu,cpuacct:/x.service\n0::/system.slice/c.service\n", "/system.slice/c.service", nil),
  ])
  func theUnitIsTheFirstThatIsNoSlice(_ text: String, _ unit: String?, _ manager: UInt32?) throws {
    let whole = text.dropFirst("0::".count).dropLast()
    let found = try #require(ControlGroup.parse(text))
    #expect(found.unit == unit ?? String(whole))
    #expect(found.manager == manager)
  }

  @Test(arguments: [
    "", "\n", "0::\n", "0::/\n", "0::/user.slice\n", "0::/user.slice/x\n", "0::relative.service\n",
    "0:/a.service\n", "3:cpu:/a.service\n", "0::/../a.service\n", "0::/a.service/../../b.scope\n",
    "1:name=systemd:/\n0::/x.slice\n",
  ])
  func whatIsInNoUnitIsInNone(_ text: String) {
    #expect(ControlGroup.parse(text) == nil)
  }

  @Test(arguments: [
    ("0::/user.slice/user-1000.slice/session-3.scope\n", true),
    ("0::/user.slice/user-7.slice/user@7.service\n", true),
    ("0::/system.slice/cron.service\n", false), ("0::/user.slice.service\n", false),
    ("0::/system.slice/user.slice/a.service\n", false),
  ])
  func aUnitBelowTheUsersSliceIsKnown(_ text: String, _ isInUserSlice: Bool) throws {
    #expect(try #require(ControlGroup.parse(text)).isInUserSlice == isInUserSlice)
  }

  @Test
  func aProcessThatIsGoneIsInNone() {
    #expect(ControlGroup(process: 0) == nil)
    #expect(ControlGroup(process: .max) == nil)
  }
}
