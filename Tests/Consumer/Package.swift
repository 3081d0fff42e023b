// swift-tools-version: 6.2
import PackageDescription

// A package as a user would write it: it depends on a released version of Weighbridge by
// its URL. `make consumer` names the URL of a tagged copy of this repository. No trait is enabled: the
// consumer reads Keras files without libhdf5.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      url: Context.environment["WEIGHBRIDGE_URL"] ?? "file:///set/WEIGHBRIDGE_URL/weighbridge",
      from: "0.1.0", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "consumer",
      dependencies: [.product(name: "Weighbridge", package: "weighbridge")],
      path: "Sources/Consumer",
      swiftSettings: [
        .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
      ],
      // Classes for the .wbm files of this target.
      plugins: [.plugin(name: "WeighbridgePlugin", package: "weighbridge")])
  ]
)
