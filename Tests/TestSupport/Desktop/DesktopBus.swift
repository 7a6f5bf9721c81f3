internal import Glibc
internal import System

/// A private system bus with the services of a desktop: the real fprintd on a virtual reader, and
/// stand-ins for polkit and logind.
///
/// Every process belongs to this value, and ends with `remove`.
public final class DesktopBus {
  /// The reason why the bus could not be started.
  public struct Failure: Error, CustomStringConvertible {
    /// The fault, as text.
    public let description: String
  }

  /// The directory of the bus, which other users may enter.
  public let directory: String
  /// The address of the bus.
  public var address: String { "unix:path=" + directory + "/bus" }
  /// The directory where this fprintd keeps its prints.
  public var prints: String { directory + "/state" }

  private var children: [ChildProcess] = []
  private var fprintd: ChildProcess?
  private var logind: ChildProcess?
  private let client: Descriptor
  private let environment: [String]

  /// Starts the bus, and fprintd with the reader.
  ///
  /// Also starts logind if `logind` is true.
  public init(_ reader: VirtualReader?, logind: Bool = false, fprintd: Bool = true) throws {
    directory = try makeTemporaryDirectory()
    unsafe chmod(directory, 0o755)
    let place = try Directory(path: directory)
    try place.create("bus.conf").write(Self.configuration(directory))
    _ = try place.openDirectory("state", create: true)
    let address = "unix:path=" + directory + "/bus"
    environment =
      [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS=" + address,
        "STATE_DIRECTORY=" + directory + "/state",
      ] + (reader.map { [$0.variable] } ?? [])
    let (ours, theirs) = try UnixSocket.pair()
    let near = Descriptor(owning: ours)
    let far = Descriptor(owning: theirs)
    children.append(
      try ChildProcess(
        path: "/usr/bin/dbus-daemon",
        arguments: [
          "--config-file=" + directory + "/bus.conf", "--nofork", "--nopidfile",
          "--print-address=1",
        ],
        environment: environment,
        descriptors: [-1, far.number, -1]
      )
    )
    // The bus prints its address once it listens.
    _ = try Self.line(near)
    let (mine, other) = try UnixSocket.pair()
    client = Descriptor(owning: mine)
    let clientsEnd = Descriptor(owning: other)
    try python(["-c", Self.script, address], [clientsEnd.number, clientsEnd.number, 2])
    try python(["-m", "dbusmock", "--system", "--template", "polkitd"], [-1, -1, -1])
    if logind {
      try python(["-m", "dbusmock", "--system", "--template", "logind"], [-1, -1, -1])
      self.logind = children.last
      _ = try run("await_name('org.freedesktop.login1')")
    }
    _ = try run("await_name('org.freedesktop.PolicyKit1')")
    _ = try run("allow(True)")
    if fprintd { try startFprintd() }
  }

  /// Starts a bus with only the stand-in for logind.
  public convenience init(logind: Bool) throws {
    try self.init(nil, logind: logind, fprintd: false)
  }

  /// Starts fprintd.
  public func startFprintd() throws {
    fprintd = try ChildProcess(
      path: "/usr/libexec/fprintd",
      arguments: ["--no-timeout"],
      environment: environment,
      descriptors: [-1, -1, -1]
    )
    _ = try run("await_name('net.reactivated.Fprint')")
  }

  /// Starts a false fprintd with one reader and one enrolled finger.
  ///
  /// It sends the messages that it is told to send.
  ///
  /// `verify` gives, for each start of a verification, the result that it sends before it answers.
  /// An empty text sends none. With `hold` at the end the reader is not released before `let_go()`.
  /// With `mute` a start of a verification is never answered.
  /// With `grow` there is one more finger once the reader is claimed. `status(name, done)`,
  /// `calls()`, `await_armed()` and `let_go()` are for `run`.
  public func startFalseFprintd(verify early: [String]) throws {
    fprintd = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-c", FalseFprintd.script, address] + early,
      environment: environment,
      descriptors: [-1, -1, 2]
    )
    _ = try run("await_name('net.reactivated.Fprint')")
  }

  /// Kills fprintd, and waits for its end.
  public func killFprintd() throws {
    fprintd?.kill()
    _ = try fprintd?.wait()
    fprintd = nil
  }

  /// Kills the stand-in for logind, and waits for its end.
  public func killLogind() throws {
    logind?.kill()
    _ = try logind?.wait()
    children.removeAll { $0.identifier == logind?.identifier }
    logind = nil
  }

  /// Stops the stand-in for logind: it is on the bus, but does not answer.
  public func haltLogind() {
    if let logind { halt(logind.identifier) }
  }

  /// Lets the stand-in for logind answer again.
  public func resumeLogind() {
    if let logind { _ = Glibc.kill(logind.identifier, SIGCONT) }
  }

  /// Enrolls a name as a finger of a user, such as `right-index-finger`.
  public func enroll(
    _ name: String,
    as finger: String = "right-index-finger",
    for user: String = "root",
    on reader: VirtualReader
  ) throws {
    let (ours, theirs) = try UnixSocket.pair()
    let near = Descriptor(owning: ours)
    let child: ChildProcess
    do {
      let far = Descriptor(owning: theirs)
      child = try ChildProcess(
        path: "/usr/bin/fprintd-enroll",
        arguments: ["-f", finger, user],
        environment: environment,
        descriptors: [-1, far.number, far.number]
      )
    }
    var last = ""
    while !last.contains("completed"), let line = try Self.line(near) {
      last = line
      if line.contains("Enrolling") || line.contains("stage-passed") {
        try reader.send("SCAN " + name)
      }
    }
    guard try child.wait() == .exited(0), last.contains("completed") else {
      throw Failure(description: "fprintd-enroll: \(last)")
    }
  }

  /// Makes another program on the bus call a function of the script below.
  ///
  /// Returns the function's result, or the name of the error.
  @discardableResult
  public func run(_ call: String) throws -> String {
    try client.write(call + "\n")
    guard let line = try Self.line(client) else { throw Failure(description: "no answer: \(call)") }
    return line
  }

  /// Calls a function of the script below that returns nothing.
  public func act(_ call: String) throws {
    let answer = try run(call)
    guard answer == "None" else { throw Failure(description: "\(call): \(answer)") }
  }

  /// Ends all processes, and removes the directory.
  public func remove() {
    for child in children + [fprintd].compactMap(\.self) {
      child.kill()
      _ = try? child.wait()
    }
    removeTemporaryDirectory(directory)
  }

  private func python(_ arguments: [String], _ descriptors: [Int32]) throws {
    children.append(
      try ChildProcess(
        path: "/usr/bin/python3",
        arguments: arguments,
        environment: environment,
        descriptors: descriptors
      )
    )
  }

  /// The next line, without its line feed, or `nil` at the end.
  private static func line(_ descriptor: borrowing Descriptor) throws -> String? {
    var bytes: [UInt8] = []
    while true {
      guard try descriptor.waitReadable(milliseconds: 60_000) else {
        throw Failure(description: "nothing came")
      }
      var byte: UInt8 = 0
      let count = unsafe try withUnsafeMutableBytes(of: &byte) {
        unsafe try descriptor.read(into: $0)
      }
      if count == 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }

  private static func configuration(_ directory: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>system</type>
      <listen>unix:path=\(directory)/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/>
        <allow own="*"/>
        <allow send_destination="*" eavesdrop="false"/>
        <allow send_type="signal"/>
        <allow receive_sender="*"/>
      </policy>
    </busconfig>

    """
  }
}
