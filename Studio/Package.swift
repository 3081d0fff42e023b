// swift-tools-version: 6.2
import PackageDescription

// The local web page. A package of its own, so that the library and the program build without a web
// server. `make studio` builds it and opens it on the samples; README.md shows what it does.

let rules: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The library, by the name of a product.
func weighbridge(_ product: String) -> Target.Dependency {
  .product(name: product, package: "weighbridge")
}

let package = Package(
  name: "weighbridge-studio",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "weighbridge-studio", targets: ["StudioCommand"]),
    .executable(name: "studio-samples", targets: ["StudioSamples"]),
  ],
  dependencies: [
    // Keras files are read and not written: no libhdf5.
    .package(name: "weighbridge", path: "..", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    // What Hummingbird rests on, where its own types show.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Routes, pages, and what they do with the library.
    .target(
      name: "Studio",
      dependencies: [
        weighbridge("Weighbridge"), weighbridge("ImageSearch"), weighbridge("ModelReport"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      resources: [.embedInCode("Page")], swiftSettings: rules),
    .executableTarget(
      name: "StudioCommand",
      dependencies: [
        "Studio", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: rules),
    // Lays out the folders of `make studio` from the samples of the repository.
    .executableTarget(
      name: "StudioSamples", dependencies: [weighbridge("Weighbridge")], swiftSettings: rules),
    .testTarget(
      name: "StudioTests",
      dependencies: [
        "Studio", weighbridge("Weighbridge"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests/StudioTests", swiftSettings: rules),
  ]
)
