// swift-tools-version: 6.2
import PackageDescription

// Readers under changed files. A package of its own: fuzzing needs a runtime library of the compiler
// that nothing else needs. `make fuzz`, `make mutate` and README.md say how it is run.

/// SwiftPM's name of the package around this one, which is that of its folder. The readers are open to
/// that package alone, so the targets here are compiled as parts of it.
let outer = String(
  Context.packageDirectory.split(separator: "/").dropLast().last ?? "weighbridge"
).lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-package-name", outer]),
]

let package = Package(
  name: "weighbridge-fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "weighbridge", path: "..")],
  targets: [
    // What is read, and with what it begins.
    .target(
      name: "FuzzTargets", dependencies: [.product(name: "Weighbridge", package: "weighbridge")],
      swiftSettings: settings),
    // libFuzzer, which looks for inputs that reach new code.
    .executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], swiftSettings: settings),
    // Any number of changed files, each a function of its number.
    .executableTarget(name: "Mutate", dependencies: ["FuzzTargets"], swiftSettings: settings),
  ]
)
