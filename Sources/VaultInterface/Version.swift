/// The version of the programs of this tree (semver.org).
public let thumblatchVersion = "0.1.0"
