import Glibc
import SecretMemory
import System
import TestSupport
import Testing

@Suite
struct ProtectionTests {
  @Test
  func aSecretIsGoneFromMemoryWhenItsOwnerIs() async {
    // In its own process, so that no other test maps or unmaps a region while this one reads them
    // all.
    await #expect(processExitsWith: .success) {
      let needle = try SecretBytes.random(count: 24)
      #expect(try occurrences(of: needle) == 1)
      let copy = try needle.copy()
      #expect(try occurrences(of: needle) == 2)
      _ = consume copy
      #expect(try occurrences(of: needle) == 1)
    }
  }

  @Test
  func holdingASecretLeavesNoCopyInOrdinaryMemory() throws {
    let needle = try SecretBytes.random(count: 24)
    let secret = try needle.copy()
    let isEqual = SecretBytes.constantTimeEqual(secret, needle)
    #expect(isEqual)
    #expect(try copies(of: needle) == 0)
    // Control: the scan sees an existing copy.
    let leak = unsafe needle.withUnsafeBytes { unsafe [UInt8]($0) }
    #expect(try copies(of: needle) > 0)
    #expect(leak.count == 24)
  }

  @Test
  func theRegionIsNeitherDumpedNorInheritedAndGuardedOnBothSides() throws {
    let secret = try SecretBytes(copying: [1])
    let address = address(of: secret)
    let mappings = try ProcessMemory.mappings()
    let index = try #require(mappings.firstIndex { $0.contains(address) })
    #expect(mappings[index].holdsSecrets)
    #expect(mappings[index].flags.contains("lo"))
    for guardPage in [mappings[index - 1], mappings[index + 1]] {
      #expect(guardPage.permissions.hasPrefix("---"))
    }
    #expect(mappings[index - 1].end == mappings[index].start)
    #expect(mappings[index + 1].start == mappings[index].end)
  }

  @Test
  func notEvenRootReadsSecretMemoryFromOutside() throws {
    let secret = try SecretBytes(copying: [UInt8](repeating: 0x5a, count: 64))
    let address = address(of: secret)
    var window = [UInt8](repeating: 0, count: 64)
    let protection = try SecretBytes.protection
    if protection == .secretMemory {
      var code: Int32?
      do {
        unsafe try window.withUnsafeMutableBytes { buffer in
          _ = unsafe try ProcessMemory.read(at: address, into: buffer)
        }
      } catch let error as SystemError {
        code = error.code
      }
      #expect(code == EIO)
      #expect(window.allSatisfy { $0 == 0 })
    } else {
      // Without memfd_secret(2) a debugger of the same user can read it, and `doctor` says so.
      #expect(protection == .locked)
    }
  }

  @Test(arguments: LockedMemory.Protection.allCases)
  func everyKindOfRegionCanBeWrittenToItsLastByte(kind: LockedMemory.Protection) throws {
    // Kernels before 6.5 have memfd_secret(2) only if booted with secretmem.enable=1.
    let isMissing = kind == .secretMemory && !hasSecretMemory
    let memory = try LockedMemory(minimumCount: 5000, trying: isMissing ? [kind, .locked] : [kind])
    #expect(memory.protection == (isMissing ? .locked : kind))
    #expect(memory.count >= 5000)
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: memory.base, count: memory.count)
    let isZero = unsafe bytes.allSatisfy { $0 == 0 }
    #expect(isZero)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0xff)
    let isFull = unsafe bytes.allSatisfy { $0 == 0xff }
    #expect(isFull)
    let address = unsafe UInt(bitPattern: memory.base)
    let mapping = try #require(try ProcessMemory.mappings().first { $0.contains(address) })
    #expect(mapping.holdsSecrets)
    #expect(mapping.flags.contains("lo") == (kind != .ordinary))
  }

  @Test(arguments: [0, -1, Int.max, Int.max - 4096])
  func aRegionOfNoSizeIsRefused(count: Int) {
    #expect(throws: SystemError.self) { _ = try LockedMemory(minimumCount: count).count }
  }

  @Test
  func aByteBeyondTheRegionEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      try writeByte(atOffset: 4096)
    }
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      try writeByte(atOffset: -1)
    }
    await #expect(processExitsWith: .success) {
      try writeByte(atOffset: 0)
      try writeByte(atOffset: 4095)
    }
  }

  @Test
  func aForkedChildDoesNotHaveTheSecret() async {
    // Once in ordinary memory, where the child reads the byte, and once in secret memory, where it
    // dies.
    await #expect(processExitsWith: .success) {
      #expect(endOfForkedReaderOfOrdinaryMemory() == .exited(42))
      let secret = try SecretBytes(copying: [42])
      #expect(endOfForkedReader(at: address(of: secret)) == .signalled(SIGSEGV))
      let byte = secret.withBytes { $0[0] }
      #expect(byte == 42)
    }
  }

  @Test
  func withoutAnyLockableMemorySecretsLieInOrdinaryMemoryAndSaySo() async {
    await #expect(processExitsWith: .success) {
      try restrictLockedMemory(to: 0)
      #expect(try SecretBytes.protection == .ordinary)
      let secret = try SecretBytes.random(count: 5000)
      let address = address(of: secret)
      let mapping = try #require(try ProcessMemory.mappings().first { $0.contains(address) })
      #expect(mapping.holdsSecrets)
      #expect(!mapping.flags.contains("lo"))
    }
  }

  @Test
  func aSmallLimitStillLocksSmallSecrets() async {
    await #expect(processExitsWith: .success) {
      try restrictLockedMemory(to: 64 * 1024)
      let token = try SecretBytes.random(count: 2000)
      #expect(try SecretBytes.protection != .ordinary)
      // The rest is in ordinary memory, and the answer names the weakest protection.
      let large = try SecretBytes.random(count: 100_000)
      #expect(try SecretBytes.protection == .ordinary)
      #expect(large.count == 100_000 && token.count == 2000)
      _ = consume large
      #expect(try SecretBytes.protection != .ordinary)
    }
  }

  private func copies(of needle: borrowing SecretBytes) throws -> Int {
    unsafe try needle.withUnsafeBytes { unsafe try ProcessMemory.copies(of: $0) }
  }
}

/// How often the needle occurs in the regions for secrets.
private func occurrences(of needle: borrowing SecretBytes) throws -> Int {
  let regions = try ProcessMemory.mappings().filter(\.holdsSecrets)
  return unsafe needle.withUnsafeBytes { needle in
    regions.reduce(0) { sum, region in
      let memory = unsafe UnsafeRawBufferPointer(
        start: UnsafeRawPointer(bitPattern: region.start),
        count: Int(region.end - region.start)
      )
      return unsafe sum + ProcessMemory.occurrences(of: needle, in: memory)
    }
  }
}

/// Whether the kernel knows memfd_secret(2).
private var hasSecretMemory: Bool {
  do throws(SystemError) {
    return try LockedMemory(minimumCount: 1, trying: [.secretMemory]).count > 0
  } catch {
    return error.code != ENOSYS
  }
}

/// The address of a secret.
private func address(of secret: borrowing SecretBytes) -> UInt {
  unsafe secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
}

/// Writes one byte next to a new region of one page, or into it.
private func writeByte(atOffset offset: Int) throws {
  signal(SIGSEGV, SIG_DFL)
  let memory = try LockedMemory(minimumCount: 4096)
  unsafe memory.base.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
}

/// Lowers RLIMIT_MEMLOCK, and drops the capability that exceeds it (CAP_IPC_LOCK).
private func restrictLockedMemory(to bytes: UInt) throws {
  var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
  let isLowered = unsafe setrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0
  try #require(isLowered)
  if geteuid() == 0 { try #require(setuid(65534) == 0) }
}

private func endOfForkedReaderOfOrdinaryMemory() -> ProcessEnd? {
  let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
  defer { unsafe byte.deallocate() }
  unsafe byte.storeBytes(of: 42, as: UInt8.self)
  return endOfForkedReader(at: UInt(bitPattern: byte))
}

/// The end of a forked child that reads one byte and exits with it.
private func endOfForkedReader(at address: UInt) -> ProcessEnd? {
  // Swift hides fork(2) because little is safe between it and exec. One load and _exit(2) are safe.
  guard let symbol = unsafe dlsym(nil, "fork"),
    let byte = unsafe UnsafeRawPointer(bitPattern: address)
  else { return nil }
  let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
  signal(SIGSEGV, SIG_DFL)
  let child = fork()
  if child == 0 { _exit(Int32(unsafe byte.load(as: UInt8.self))) }
  var status: Int32 = 0
  guard child > 0, unsafe waitpid(child, &status, 0) == child else { return nil }
  return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
}
