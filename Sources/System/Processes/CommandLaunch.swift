internal import CLinux
internal import Glibc

/// A command that replaces this process, with a secret only for it.
package struct CommandLaunch: Sendable {
  /// How the command gets the secret.
  package enum Delivery: Sendable, Equatable {
    /// In a variable of its environment.
    case variable(String)
    /// In a pipe at this descriptor, as one line.
    case descriptor(Int32)
  }

  /// The words of the command, byte for byte.
  package let words: [[UInt8]]
  package let delivery: Delivery
  private let executable: [UInt8]

  /// Finds the command.
  ///
  /// - Parameters:
  ///   - words: the name of the command, and its arguments.
  ///   - delivery: how the command gets the secret.
  /// - Throws: ENOENT if there is no such program, EACCES if it cannot be executed.
  package init(words: [[UInt8]], delivery: Delivery) throws(SystemError) {
    self.words = words
    self.delivery = delivery
    let path = unsafe getenv("PATH").map { unsafe Self.bytes($0) }
    executable = try ExecutableSearch(path: path).find(words.first ?? [])
  }

  /// The last arguments of this process as they were given, even if they are not UTF-8.
  package static func lastArguments(_ count: Int) -> [[UInt8]] {
    let all = Int(CommandLine.argc)
    return (max(0, all - count)..<all).compactMap { index in
      unsafe CommandLine.unsafeArgv[index].map { unsafe bytes($0) }
    }
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// Replaces this process (execve(2)); returns only by throwing.
  ///
  /// Terminal, working directory, environment and the descriptors that this process inherited stay
  /// as they are. All memory of this process is gone then, and so is each of its own descriptors,
  /// because they are close-on-exec.
  package func replaceThisProcess(secret: String) throws(SystemError) -> Never {
    switch delivery {
    case .variable(let name):
      // An environment may have the name twice, and programs differ in which one they read.
      guard unsafe unsetenv(name) == 0, unsafe setenv(name, secret, 1) == 0 else {
        throw SystemError("setenv", code: errno)
      }
    case .descriptor(let number): try Self.place(secret, at: number)
    }
    let argv = ByteStrings(words)
    let path = ByteStrings([executable])
    guard let program = unsafe path.pointers[0] else { throw SystemError("execve", code: EFAULT) }
    // The path has a slash, so execvp(3) does not search. As a shell does, it has sh run a script
    // without an interpreter line.
    unsafe execvp(program, argv.pointers)
    throw SystemError("execve", code: errno)
  }

  /// Puts a line into a pipe, whose reading end becomes `number` (pipe(7), dup2(2)).
  private static func place(_ secret: String, at number: Int32) throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutableBytes(of: &ends) { room in
      unsafe room.withMemoryRebound(to: Int32.self) { unsafe pipe($0.baseAddress) }
    }
    guard made == 0 else { throw SystemError("pipe", code: errno) }
    let reading = Descriptor(owning: ends.0)
    let writing = Descriptor(owning: ends.1)
    // A pipe that is too small would block this process without a reader.
    try writing.setNonblocking(true)
    try writing.write(secret + "\n")
    _ = consume writing
    if reading.number == number {
      _ = reading.relinquish()
      return
    }
    guard dup2(reading.number, number) == number else { throw SystemError("dup2", code: errno) }
  }
}

/// The search for a program by its name, as execvp(3) does it.
package struct ExecutableSearch {
  private static let slash = UInt8(ascii: "/")
  private let directories: [ArraySlice<UInt8>]

  /// `path` is the value of PATH; `nil` if it is not set.
  package init(path: [UInt8]?) {
    directories = (path ?? Array("/bin:/usr/bin".utf8))
      .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
  }

  /// The path of a program, with a slash in it.
  ///
  /// - Throws: ENOENT if there is none, EACCES if there is one that cannot be executed.
  package func find(_ name: [UInt8]) throws(SystemError) -> [UInt8] {
    guard !name.isEmpty else { throw SystemError("execve", code: ENOENT) }
    guard !name.contains(Self.slash) else {
      let code = Self.check(name)
      guard code == 0 else { throw SystemError("execve", code: code) }
      return name
    }
    var worst = ENOENT
    for directory in directories {
      // An empty entry is the working directory.
      let path = (directory.isEmpty ? [UInt8(ascii: ".")] : Array(directory)) + [Self.slash] + name
      let code = Self.check(path)
      if code == 0 { return path }
      if code == EACCES { worst = EACCES }
    }
    throw SystemError("execve", code: worst)
  }

  /// 0 if a path is a file that can be executed, else the error of execve(2).
  private static func check(_ path: [UInt8]) -> Int32 {
    let text = ByteStrings([path])
    guard let name = unsafe text.pointers[0] else { return EFAULT }
    var status = stat()
    guard unsafe stat(name, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return unsafe access(name, X_OK) == 0 ? 0 : errno
  }
}

/// A NULL-terminated array of C strings that need not be UTF-8, freed with its owner.
@safe
private struct ByteStrings: ~Copyable {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [[UInt8]]) {
    count = strings.count
    unsafe pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
      for (place, byte) in string.enumerated() { unsafe copy[place] = CChar(bitPattern: byte) }
      unsafe copy[string.count] = 0
      unsafe pointers.advanced(by: index).initialize(to: copy)
    }
    unsafe pointers.advanced(by: count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe pointers[index]?.deallocate() }
    unsafe pointers.deallocate()
  }
}
