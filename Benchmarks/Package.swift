// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that measuring needs nothing that the library needs and the other way
// round. It runs the built program from outside, as a user would.
let package = Package(
  name: "weighbridge-benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(
      name: "ConversionBenchmark",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ]),
    .executableTarget(
      name: "FMAPeak",
      cSettings: [.unsafeFlags(["-O2", "-ffp-contract=fast"])]),
  ]
)
