/// The most connections of an engine, and the most bytes that they may hold.
struct ConnectionLimits: Sendable {
  /// The limit for one person.
  let each: Int
  /// The limit for all people.
  ///
  /// A person with no connection, or almost none, may exceed it.
  let all: Int
  /// How many connections may exceed `all`.
  let reserve: Int
  /// The limit for all strangers together.
  let strangers: Int
  /// The most bytes that all connections may hold: incomplete messages, waiting messages, and
  /// replies that are not read.
  let buffered: Int
  /// The same limit for all strangers together.
  let strangersBuffered: Int

  private static let mostBuffered = 40 << 20

  /// The limits for an engine of one user.
  static let alone = ConnectionLimits(
    each: 256,
    all: 256,
    reserve: 0,
    strangers: 0,
    buffered: mostBuffered,
    strangersBuffered: 0
  )

  /// The limits for an engine of many users, any of whom may be hostile.
  ///
  /// They use a part of the process's descriptors.
  ///
  /// A connection takes two descriptors, one of which holds its process. The rest is for stores and
  /// helpers.
  static func shared(descriptors: Int) -> ConnectionLimits {
    let reserve = min(32, descriptors / 16)
    let all = max(16, (descriptors - min(512, descriptors / 2)) / 2 - reserve)
    return ConnectionLimits(
      each: max(8, min(128, all / 4)),
      all: all,
      reserve: reserve,
      strangers: max(4, min(64, all / 8)),
      buffered: mostBuffered,
      strangersBuffered: 2 << 20
    )
  }
}
