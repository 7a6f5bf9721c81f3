/// The version of the programs in this tree (semver.org).
public let thumblatchVersion = "0.1.0"
