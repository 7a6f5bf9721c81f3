internal import CFprint

/// Deletes prints on the reader that stores them.
@safe
final class DeleteSession: ReaderSession, @unchecked Sendable {
  private let stored: [StoredPrint]
  private let done: (Result<[Deletion], ReaderError>) -> Void
  private var gallery: LibraryPrints?
  private var deletions: [Deletion]

  init(
    _ readers: ReaderList,
    _ cancellation: Cancellation,
    _ stored: [StoredPrint],
    milliseconds: Int,
    done: @escaping (Result<[Deletion], ReaderError>) -> Void
  ) {
    self.stored = stored
    self.done = done
    deletions = stored.map { $0.isOnReader ? .elsewhere : .notStored }
    super.init(readers, cancellation, milliseconds: milliseconds)
  }

  override var refusal: ReaderError { .notEnrolled }

  override func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool {
    let gallery = unsafe LibraryPrints(stored, of: device)
    guard gallery.stored.contains(where: \.isOnReader) else { return false }
    self.gallery = gallery
    return true
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) { delete(0) }

  override func ended(_ failure: ReaderError?) {
    if let failure, !deletions.contains(.deleted) {
      done(.failure(failure))
    } else {
      done(.success(deletions))
    }
  }

  private func delete(_ index: Int) {
    guard objection == nil, let gallery, let print = unsafe gallery[index] else {
      return close(objection)
    }
    guard gallery.stored[index].isOnReader else { return delete(index + 1) }
    unsafe g_object_ref(UnsafeMutableRawPointer(print))
    unsafe delete(print) { [self] failure in
      deletions[gallery.candidateIndices[index]] = failure.map { .failed($0) } ?? .deleted
      delete(index + 1)
    }
  }
}
