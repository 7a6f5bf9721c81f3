internal import CLinux
internal import Glibc

package enum ProcessEnd: Sendable, Equatable {
  case exited(Int32)
  case signalled(Int32)
}

/// A child that this process started; it keeps running without its owner.
package struct ChildProcess: Sendable {
  /// The process id, valid until `wait` has returned.
  package let identifier: Int32

  /// Starts a program that inherits only the values named here.
  ///
  /// - Parameters:
  ///   - path: the program; PATH is never searched.
  ///   - arguments: the arguments after the program's own name.
  ///   - environment: the whole environment, as `NAME=value`.
  ///   - descriptors: become 0, 1, 2 ... of the child; -1 is /dev/null. All others are closed.
  ///   - newSession: whether to call setsid(2), so that no terminal's signal reaches the child.
  ///   - endsWithParent: whether the kernel sends SIGTERM when the thread that starts the child
  ///     ends (PR_SET_PDEATHSIG(2const)).
  ///   - mask: the child's file mode mask (umask(2)), independent of the caller's.
  /// - Throws: the error of fork(2) or execve(2) itself.
  package init(
    path: String,
    arguments: [String],
    environment: [String],
    descriptors: [Int32],
    newSession: Bool = false,
    endsWithParent: Bool = false,
    mask: UInt32 = 0o077
  ) throws(SystemError) {
    let session: Int32 = (newSession ? 1 : 0) | (endsWithParent ? 4 : 0)
    identifier = try Self.spawn(
      path,
      arguments,
      environment,
      descriptors,
      session: session,
      mask: mask
    )
  }

  /// Starts a program in its own session that outlives this process and needs no wait here.
  ///
  /// - Throws: the error of fork(2) or execve(2) itself.
  package static func startDetached(
    path: String,
    arguments: [String],
    environment: [String],
    descriptors: [Int32]
  ) throws(SystemError) {
    _ = try spawn(path, arguments, environment, descriptors, session: 2)
  }

  private static func spawn(
    _ path: String,
    _ arguments: [String],
    _ environment: [String],
    _ descriptors: [Int32],
    session: Int32,
    mask: UInt32 = 0o077
  ) throws(SystemError) -> Int32 {
    let argv = CStrings([path] + arguments)
    let envp = CStrings(environment)
    let pid = unsafe clinux_spawn(
      path,
      argv.pointers,
      envp.pointers,
      "/",
      descriptors,
      Int32(descriptors.count),
      session,
      mask
    )
    return Int32(try check(Int(pid), "exec", subject: path))
  }

  /// Waits for the end (waitpid(2)).
  package func wait() throws(SystemError) -> ProcessEnd {
    var status: Int32 = 0
    try check(Int(unsafe clinux_wait(identifier, 1, &status)), "waitpid")
    return Self.end(status)
  }

  /// The end of the child; `nil` while it runs (waitpid(2), WNOHANG).
  package func poll() throws(SystemError) -> ProcessEnd? {
    var status: Int32 = 0
    let ended = try check(Int(unsafe clinux_wait(identifier, 0, &status)), "waitpid")
    return ended == 0 ? nil : Self.end(status)
  }

  /// Kills the child at once (kill(2), SIGKILL); call `wait` afterwards.
  package func kill() {
    _ = Glibc.kill(identifier, SIGKILL)
  }

  /// Sends a signal (kill(2)).
  package func send(signal: Int32) {
    _ = Glibc.kill(identifier, signal)
  }

  private static func end(_ status: Int32) -> ProcessEnd {
    let code = clinux_status_exit_code(status)
    return code >= 0 ? .exited(code) : .signalled(clinux_status_signal(status))
  }
}

/// Operations on this process itself.
public enum ThisProcess {
  package static var identifier: Int32 { getpid() }

  /// The effective user id.
  package static var user: UInt32 { geteuid() }

  /// Protects this process's memory from other processes of the same user, and disables core dumps
  /// and crash reports (prctl(2) PR_SET_DUMPABLE, setrlimit(2) RLIMIT_CORE).
  package static func refuseDumps() throws(SystemError) {
    removeCrashReports()
    try hideMemory()
    try check(Int(clinux_disable_core_dumps()), "setrlimit RLIMIT_CORE")
  }

  /// Protects this process's memory from other processes of the same user, and from core dumps,
  /// until it executes another program (prctl(2) PR_SET_DUMPABLE).
  package static func hideMemory() throws(SystemError) {
    try check(Int(clinux_set_not_dumpable()), "prctl PR_SET_DUMPABLE")
  }

  /// Raises the limit on descriptors to the hard limit, but at most to `most` (setrlimit(2),
  /// RLIMIT_NOFILE).
  ///
  /// - Returns: the new limit.
  package static func raiseDescriptorLimit(to most: Int) throws(SystemError) -> Int {
    try check(Int(clinux_raise_descriptors(UInt64(max(0, most)))), "setrlimit RLIMIT_NOFILE")
  }

  /// Removes Swift's crash handlers, whatever the environment requests: a backtrace prints
  /// registers and memory.
  package static func removeCrashReports() {
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      Glibc.signal(signal, SIG_DFL)
    }
  }

  /// Turns a closed reader into EPIPE and a file size limit into EFBIG, instead of a fatal signal
  /// (signal(7)).
  package static func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    ignoreFileSizeSignal()
  }

  /// Opens each closed descriptor of 0, 1 and 2 so that using it fails, as glibc does for setuid
  /// programs.
  ///
  /// Otherwise the next opened file or socket gets the number and receives the standard output.
  package static func reserveStandardDescriptors() throws(SystemError) {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // open(2): "the lowest-numbered file descriptor not currently open".
      // A program that replaces this one finds it closed again.
      let opened = unsafe open("/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
      guard opened == number else {
        let code = errno
        if opened >= 0 { _ = close(opened) }
        throw SystemError("open", code: opened < 0 ? code : EBADF, subject: "/dev/null")
      }
    }
  }

  /// Turns a file size limit into EFBIG, instead of a fatal signal (setrlimit(2), RLIMIT_FSIZE).
  ///
  /// ftruncate(2) of secret memory counts against the limit.
  package static func ignoreFileSizeSignal() {
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Prevents programs executed from here on from gaining privileges (prctl(2),
  /// PR_SET_NO_NEW_PRIVS).
  ///
  /// The setting applies to the calling thread and the threads that it starts: call this before a
  /// second thread exists.
  package static func renouncePrivileges() throws(SystemError) {
    try check(Int(clinux_set_no_new_privileges()), "prctl PR_SET_NO_NEW_PRIVS")
  }

  /// Becomes another user permanently, in that user's group only (setuid(2), setgroups(2)).
  package static func become(user: UInt32, group: UInt32) throws(SystemError) {
    try check(Int(setgroups(0, nil)), "setgroups")
    try check(Int(setgid(group)), "setgid")
    try check(Int(setuid(user)), "setuid")
  }

  /// The directory of the running program (proc(5), /proc/self/exe).
  package static func programDirectory() throws(SystemError) -> String {
    let path = try programPath()
    guard let slash = path.lastIndex(of: "/") else {
      throw SystemError("readlink", code: EINVAL, subject: "/proc/self/exe")
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of the running program (proc(5), /proc/self/exe).
  package static func programPath() throws(SystemError) -> String { try program(of: "self") }

  /// The program that a process runs (proc(5), /proc/PID/exe).
  ///
  /// - Throws: EACCES for a process that this one may not trace (ptrace(2)).
  package static func program(of process: String) throws(SystemError) -> String {
    let link = "/proc/\(process)/exe"
    let bytes = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) {
      (buffer) -> [UInt8] in
      guard let base = buffer.baseAddress else { return [] }
      let count = unsafe readlink(link, base, buffer.count)
      return (0..<max(0, count)).map { unsafe UInt8(bitPattern: buffer[$0]) }
    }
    guard !bytes.isEmpty else { throw SystemError("readlink", code: errno, subject: link) }
    // readlink(2) truncates silently.
    guard bytes.count < 4096 else {
      throw SystemError("readlink", code: ENAMETOOLONG, subject: link)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A variable of the environment (getenv(3)); `nil` if unset.
  public static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Fills a buffer with random bytes from the kernel (getrandom(2)).
  package static func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
    try check(Int(unsafe clinux_getrandom(buffer.baseAddress, buffer.count)), "getrandom")
  }

  /// Replaces this process by a program (execve(2)); returns only by throwing.
  package static func replace(
    path: String,
    arguments: [String],
    environment: [String]
  ) throws(SystemError) -> Never {
    let argv = CStrings(arguments)
    let envp = CStrings(environment)
    unsafe execve(path, argv.pointers, envp.pointers)
    throw SystemError("execve", code: errno, subject: path)
  }
}

/// A NULL-terminated array of C strings, freed with its owner.
@safe
private struct CStrings: ~Copyable {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      unsafe pointers.advanced(by: index).initialize(to: strdup(string))
    }
    unsafe pointers.advanced(by: count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
}
