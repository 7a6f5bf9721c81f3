internal import System
internal import VaultClient

/// Follows the restricted sockets of the person's agents on a thread of its own.
enum SocketFeed {
  /// The sockets for a vault, by name, each time there may be others.
  @MainActor
  static func sockets(of location: VaultLocation) -> AsyncStream<[RestrictedSocketNote]> {
    .ofThread(
      keeping: .bufferingNewest(1),
      // The page shows the rules without them.
      orElse: { _ in [] },
      running: { interrupt, sockets in
        guard let directory = RestrictedSocketNote.directory() else { return }
        var pause = RetryPause()
        repeat {
          do throws(SystemError) {
            _ = try Directory.make(path: directory)
            let events = try DirectoryEvents(path: directory, removals: true)
            repeat {
              let notes = RestrictedSocketNote.all(of: location)
              sockets.yield(notes)
              // An agent that is killed does not remove its note.
              let agents = try ProcessEnds(of: notes.compactMap(\.agent))
              pause.reset()
              let end = try withExtendedLifetime(agents) { () throws(SystemError) in
                try Readiness.wait(
                  for: events.descriptor.number,
                  input: agents.number,
                  interrupt: interrupt
                )
              }
              guard end != .interrupted else { return }
            } while try events.take().isWatching
          } catch {
            sockets.yield([])
          }
          // The directory cannot be watched now, or it was removed.
        } while pause.wait(interrupt: interrupt)
      }
    )
  }
}
