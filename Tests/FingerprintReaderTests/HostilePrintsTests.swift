import HelperInterface
import System
import TestSupport
import Testing

/// A directory of fprintd that other users have changed.
@Suite(.serialized)
struct HostilePrintsTests {
  /// The change to the directory.
  ///
  /// Only an intact print that root owns, at its own path, is used.
  enum Change: String, CaseIterable {
    case fileIsALink, fileHasTwoNames, fileIsAnothers, fileIsWritable, fileIsAPipe
    case fileIsTooLong, fileIsEmpty, fileIsDamaged, fileIsOfAnotherFinger, fileHasNoFingersName
    case deviceIsAnother, deviceIsALink, deviceIsAnothers
    case driverIsAnother, driverIsALink, driverIsWritable
    case userIsAnother, userIsALink, userIsAnothers, baseIsALink, baseIsWritable, baseIsAnothers
  }

  @Test
  func onlyPrintsThatAreWhollyRootsAreUsed() throws {
    let reader = try VirtualReader(.device)
    let bus = try DesktopBus(reader)
    defer {
      bus.remove()
      reader.remove()
    }
    try bus.enroll("right", on: reader)
    #expect(try source(of: bus.prints, reader) == .prints)
    for change in Change.allCases {
      let copy = bus.directory + "/copy"
      try run("/bin/cp", ["--archive", bus.prints, copy])
      try apply(change, to: copy)
      #expect(try source(of: copy, reader) == .none, "\(change)")
      try run("/bin/rm", ["--recursive", "--force", copy, bus.directory + "/elsewhere"])
    }
    // Nothing was changed, and nothing deleted.
    #expect(try source(of: bus.prints, reader) == .prints)
  }

  private func source(of directory: String, _ reader: VirtualReader) throws -> EnrolledSource {
    let presence = try VirtualPresence(
      reader: reader,
      settings: ["FPRINTD_DIRECTORY=" + directory]
    )
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    let source = try client.call(HelperListEnrolledCall()).source
    #expect(try client.end() == .exited(0))
    return source
  }

  private func apply(_ change: Change, to base: String) throws {
    let user = base + "/root"
    let driver = user + "/virtual_device"
    let device = driver + "/0"
    let file = device + "/7"
    let elsewhere = String(base.dropLast(4)) + "elsewhere"
    func move(_ path: String, _ target: String) throws { try run("/bin/mv", [path, target]) }
    func link(_ path: String) throws {
      try move(path, elsewhere)
      try run("/bin/ln", ["--symbolic", elsewhere, path])
    }
    func give(_ path: String) throws { try run("/bin/chown", ["65534", path]) }
    func open(_ path: String) throws { try run("/bin/chmod", ["0777", path]) }
    func overwrite(_ body: (inout [UInt8]) -> Void) throws {
      let place = try Directory(path: device)
      var bytes = try place.openForReading("7").readAll(limit: 65536)
      body(&bytes)
      try place.unlink("7")
      try place.create("7").write(bytes)
    }
    switch change {
    case .fileIsALink: try link(file)
    case .fileHasTwoNames: try run("/bin/ln", [file, elsewhere])
    case .fileIsAnothers: try give(file)
    case .fileIsWritable: try open(file)
    case .fileIsAPipe:
      try run("/bin/rm", [file])
      try run("/usr/bin/mkfifo", [file])
    case .fileIsTooLong: try overwrite { $0 += [UInt8](repeating: 0, count: 65536) }
    case .fileIsEmpty: try overwrite { $0 = [] }
    case .fileIsDamaged: try overwrite { $0[$0.count / 2] ^= 0xff }
    case .fileIsOfAnotherFinger: try move(file, device + "/6")
    case .fileHasNoFingersName: try move(file, device + "/07")
    case .deviceIsAnother: try move(device, driver + "/1")
    case .deviceIsALink: try link(device)
    case .deviceIsAnothers: try give(device)
    case .driverIsAnother: try move(driver, user + "/virtual_image")
    case .driverIsALink: try link(driver)
    case .driverIsWritable: try open(driver)
    case .userIsAnother:
      try move(user, elsewhere)
      try run("/bin/mkdir", [user])
      // The prints of another user, in place of this one's.
      try run("/bin/cp", ["--archive", elsewhere + "/virtual_device", driver])
      try overwrite { bytes in
        guard let at = bytes.indices.first(where: { bytes[$0...].starts(with: "root".utf8) })
        else { return }
        bytes.replaceSubrange(at..<at + 4, with: "toor".utf8)
      }
    case .userIsALink: try link(user)
    case .userIsAnothers: try give(user)
    case .baseIsALink: try link(base)
    case .baseIsWritable: try open(base)
    case .baseIsAnothers: try give(base)
    }
  }

  private func run(_ path: String, _ arguments: [String]) throws {
    let child = try ChildProcess(
      path: path,
      arguments: arguments,
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, 1, 2]
    )
    #expect(try child.wait() == .exited(0), "\(path) \(arguments)")
  }
}
