/// How many connections an engine has at most, and how much they may hold.
struct ConnectionLimits: Sendable {
  /// For one person.
  let each: Int
  /// For all of them; one who has none, or nearly none, gets in beyond it.
  let all: Int
  /// How many may come beyond `all`.
  let reserve: Int
  /// For all strangers together.
  let strangers: Int
  /// Bytes that all connections may hold: half messages, messages that wait, and replies that are not
  /// read.
  let buffered: Int
  /// The same, of all strangers together.
  let strangersBuffered: Int

  private static let mostBuffered = 40 << 20

  /// What one user may have, where there is nobody else.
  static let alone = ConnectionLimits(
    each: 256,
    all: 256,
    reserve: 0,
    strangers: 0,
    buffered: mostBuffered,
    strangersBuffered: 0
  )

  /// A part of the descriptors that the process may have, for users who may all be hostile.
  ///
  /// A connection takes two, of which one holds its process; the others are for stores and helpers.
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
