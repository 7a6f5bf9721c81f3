/// The version of the programs in this tree (semver.org).
package let thumblatchVersion = "0.1.0"
