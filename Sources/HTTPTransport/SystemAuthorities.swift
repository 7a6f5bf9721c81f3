internal import CCurl
internal import Glibc
internal import Synchronization
internal import System

/// The files of certificate authorities.
package struct AuthorityFiles: Sendable, Equatable {
  /// A file of certificates in PEM.
  package var file: String?
  /// A directory of certificates under the hashes of their names (openssl-rehash(1)).
  package var directory: String?

  package init(file: String? = nil, directory: String? = nil) {
    self.file = file
    self.directory = directory
  }

  /// libcurl's defaults, which the distribution chooses; `nil` for both if libcurl has another TLS
  /// library than this process's OpenSSL (curl_version_info(3)).
  package static let system: AuthorityFiles = {
    guard EasyHandle.isReady, let info = unsafe ccurl_info(),
      let library = unsafe info.pointee.ssl_version,
      let own = unsafe OpenSSL_version(OPENSSL_VERSION_STRING),
      unsafe String(cString: library) == "OpenSSL/" + String(cString: own)
    else { return AuthorityFiles() }
    return AuthorityFiles(
      file: unsafe info.pointee.cainfo.map { unsafe String(cString: $0) },
      directory: unsafe info.pointee.capath.map { unsafe String(cString: $0) }
    )
  }()
}

/// The certificate authorities of the system, read once for all requests of this process.
///
/// libcurl reads them for each connection. OpenSSL 3 needs 20 ms for the 140 certificates of
/// Debian. A waiting process reads them here before its first request.
@safe
final class SystemAuthorities: Sendable {
  /// The identity of a file or directory, and of its last change, after following symbolic links
  /// (stat(2)).
  private struct Stamp: Equatable {
    let device: dev_t
    let inode: ino_t
    let size: off_t
    let seconds: time_t
    let nanoseconds: Int

    /// `nil` if the path leads nowhere.
    init?(_ path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
      size = status.st_size
      seconds = status.st_ctim.tv_sec
      nanoseconds = status.st_ctim.tv_nsec
    }
  }

  private static let kept = Mutex<SystemAuthorities?>(nil)

  /// An X509_STORE, which OpenSSL locks itself.
  private nonisolated(unsafe) let store: OpaquePointer
  private let files: AuthorityFiles
  /// The file and the directory before the file was read.
  ///
  /// OpenSSL searches the directory during a verification, and keeps the certificates that it finds
  /// in the store.
  private let stamps: [Stamp?]
  /// Readable when the file has been read.
  private let isRead: WakeEvent
  /// Whether the file was missing, unreadable or without a certificate; false until `isRead`.
  private let lacksFile = Atomic(false)

  /// The authorities of these files as they are now; `nil` if libcurl must read them itself.
  ///
  /// With `inBackground` a thread may read them, and only the verification of a chain waits for it.
  /// During a handshake the thread is slower than the caller.
  static func current(
    of files: AuthorityFiles,
    inBackground: Bool = false
  ) -> SystemAuthorities? {
    guard files != AuthorityFiles() else { return nil }
    return kept.withLock { kept in
      if let known = kept, known.files == files, known.isCurrent { return known }
      kept = SystemAuthorities(files, inBackground: inBackground)
      return kept
    }
  }

  private init?(_ files: AuthorityFiles, inBackground: Bool) {
    guard let event = try? WakeEvent(), let made = unsafe ccurl_store() else { return nil }
    unsafe store = made
    self.files = files
    stamps = Self.stamps(of: files)
    isRead = event
    let isStarted = inBackground && (try? startThread { [self] in read() }) != nil
    if !isStarted { read() }
  }

  deinit {
    unsafe X509_STORE_free(store)
  }

  private static func stamps(of files: AuthorityFiles) -> [Stamp?] {
    [files.file, files.directory].map { path in path.flatMap { Stamp($0) } }
  }

  /// Whether file and directory are those that were read.
  private var isCurrent: Bool {
    Self.stamps(of: files) == stamps && !lacksFile.load(ordering: .acquiring)
  }

  /// Reads the file, and names the directory (X509_STORE_load_file(3)).
  ///
  /// If one of them cannot be used, its authorities are not trusted.
  private func read() {
    if let file = files.file, unsafe X509_STORE_load_file(store, file) != 1 {
      lacksFile.store(true, ordering: .releasing)
    }
    if let directory = files.directory { _ = unsafe X509_STORE_load_path(store, directory) }
    isRead.signal()
  }

  private func waitUntilRead() {
    _ = try? isRead.descriptor.waitReadable(milliseconds: -1)
  }

  /// Makes a context of TLS trust the authorities (SSL_CTX_set1_cert_store(3)).
  static let setsStore: ccurl_context_function = { _, tls, authorities in
    guard let tls = unsafe tls, let authorities = unsafe authorities else {
      return CURLE_SSL_CERTPROBLEM
    }
    let own = unsafe Unmanaged<SystemAuthorities>.fromOpaque(authorities).takeUnretainedValue()
    unsafe SSL_CTX_set1_cert_store(OpaquePointer(tls), own.store)
    unsafe SSL_CTX_set_cert_verify_callback(OpaquePointer(tls), verifies, authorities)
    return CURLE_OK
  }

  /// Verifies a chain as OpenSSL does by default, after the authorities have been read
  /// (SSL_CTX_set_cert_verify_callback(3)).
  ///
  /// If the file cannot be read, an unknown authority is not the server's fault.
  private static let verifies: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 =
    { chain, authorities in
      guard let authorities = unsafe authorities else { return 0 }
      let own = unsafe Unmanaged<SystemAuthorities>.fromOpaque(authorities).takeUnretainedValue()
      own.waitUntilRead()
      let result = unsafe X509_verify_cert(chain)
      guard result != 1, own.lacksFile.load(ordering: .acquiring) else { return result }
      let error = unsafe Int(X509_STORE_CTX_get_error(chain))
      if HTTPError.Reason(ofCertificate: error) == .authority {
        unsafe X509_STORE_CTX_set_error(chain, X509_V_ERR_STORE_LOOKUP)
      }
      return result
    }
}
