// swift-tools-version: 6.2
import PackageDescription

/// Swift 6 language mode (from the tools version) and the stricter rules every target follows.
let rules: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A module of ours. `dependencies` may name lower ranks only (see the layout in `README.md`).
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: rules)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: rules)
}

#if os(macOS)
  let hdf5 = "hdf5"  // Homebrew's name for pkg-config
#else
  let hdf5 = "hdf5-serial"  // Debian's, beside those with MPI
#endif

let package = Package(
  name: "weighbridge",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Weighbridge", targets: ["Weighbridge"]),
    .executable(name: "weighbridge", targets: ["WeighbridgeCommand"]),
  ],
  dependencies: [
    // The command line: parsing, help texts, shell completions.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // Libraries of the system, each for one thing.
    .systemLibrary(  // Reading HDF5, the container of Keras .h5 files.
      name: "CHDF5", pkgConfig: hdf5,
      providers: [.apt(["libhdf5-dev"]), .brew(["hdf5"])]),
    .systemLibrary(  // Packing and unpacking the header of .wbm.
      name: "CProtobufC", pkgConfig: "libprotobuf-c",
      providers: [.apt(["libprotobuf-c-dev"]), .brew(["protobuf-c"])]),
    .systemLibrary(  // XXH3-128, the integrity digest of .wbm.
      name: "CXXHash", pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
    .systemLibrary(  // SHA-256, the provenance digest of source files.
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(  // Parsing YAML, in which Keras 1 and 2 wrote architectures.
      name: "CYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(  // Deflate and CRC-32 of ZIP members.
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(  // Decoding and encoding JPEG images.
      name: "CJPEG", pkgConfig: "libjpeg",
      providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
    .systemLibrary(  // Decoding and encoding PNG images.
      name: "CPNG", pkgConfig: "libpng",
      providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),

    // Rank 0: bytes, text and the graph; they know no file format.
    // Three Linux calls that Swift's C library module leaves out.
    .target(name: "CSystemCalls", cSettings: [.define("_GNU_SOURCE")]),
    module("Bytes", ["CSystemCalls"]),
    module("JSON", ["Bytes"]),
    module("Digests", ["Bytes", "CXXHash", "CCrypto"]),
    module("YAML", ["Bytes", "JSON", "CYAML"]),
    module("GraphIR", ["Bytes"]),
    module("ProtobufWire", ["Bytes", "CProtobufC"]),
    module("ZipArchive", ["Bytes", "CZlib"]),

    // Rank 1: syntax only, bytes to plain records and back.
    module("HDF5File", ["Bytes", "CHDF5"]),
    module("KerasFormat", ["Bytes", "HDF5File", "JSON", "YAML", "ZipArchive"]),
    module("DarknetFormat", ["Bytes"]),
    module("NumPyFormat", ["Bytes", "ZipArchive"]),
    .target(name: "CCoreML", dependencies: ["CProtobufC"]),
    module("CoreMLFormat", ["Bytes", "CCoreML", "CProtobufC", "JSON", "ProtobufWire"]),
    module("SafetensorsFormat", ["Bytes", "JSON"]),
    .target(name: "CONNX", dependencies: ["CProtobufC"]),
    module("ONNXFormat", ["Bytes", "CONNX", "CProtobufC", "ProtobufWire"]),
    .target(name: "CWBM", dependencies: ["CProtobufC"]),
    module("WBMFormat", ["Bytes", "Digests", "CWBM", "CProtobufC", "ProtobufWire"]),

    // Rank 2: one file per operator.
    module("LayerCatalog", ["Bytes", "DarknetFormat", "GraphIR", "JSON", "KerasFormat"]),

    // Rank 3: what is done with graphs.
    module(
      "Conversion",
      [
        "Bytes", "CoreMLFormat", "DarknetFormat", "Digests", "GraphIR", "HDF5File", "JSON",
        "KerasFormat", "LayerCatalog", "NumPyFormat", "ONNXFormat", "ProtobufWire",
        "SafetensorsFormat", "WBMFormat", "ZipArchive",
      ]),
    // Finds oneDNN when it is first needed: 40 MB that reading a model does without.
    .target(name: "COneDNN"),
    // Kernels of ours in vector instructions that the program looks for when it runs.
    .target(name: "CKernels"),
    module("CPURuntime", ["Bytes", "CKernels", "COneDNN", "GraphIR", "LayerCatalog"]),
    module("ReferenceRuntime", ["Bytes", "GraphIR", "LayerCatalog"]),
    module("Verifier", ["Bytes", "GraphIR"]),
    module("ModelComparison", ["GraphIR", "LayerCatalog", "Verifier"]),
    // Keeps the longjmp of both picture libraries away from Swift.
    .target(name: "CImages", dependencies: ["CJPEG", "CPNG"]),
    module("Vision", ["Bytes", "CImages", "GraphIR"]),

    // Rank 4: the library product and the program.
    module(
      "Weighbridge",
      [
        "Bytes", "CPURuntime", "Conversion", "DarknetFormat", "Digests", "GraphIR", "JSON",
        "KerasFormat", "LayerCatalog", "ModelComparison", "NumPyFormat", "ReferenceRuntime",
        "Verifier",
        "Vision", "WBMFormat",
      ]),
    .executableTarget(
      name: "WeighbridgeCommand",
      // Modules that Weighbridge passes on are named too: an incremental build only follows those.
      dependencies: [
        "Bytes", "CSystemCalls", "Conversion", "DarknetFormat", "GraphIR", "JSON",
        "ModelComparison", "Verifier", "Vision", "Weighbridge",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: rules),

    // Support: what tests and benchmarks share.
    module("_CatalogTesting", ["Bytes", "Conversion", "GraphIR", "LayerCatalog"]),

    // Tests mirror the sources.
    tests("HDF5FileTests", ["Bytes", "HDF5File"], exclude: ["Files"]),
    tests("YAMLTests", ["Bytes", "JSON", "YAML"]),
    tests("KerasFormatTests", ["Bytes", "HDF5File", "JSON", "KerasFormat"], exclude: ["Files"]),
    tests(
      "WBMFormatTests",
      ["Bytes", "Digests", "ProtobufWire", "WBMFormat"]),
    tests(
      "CoreMLFormatTests",
      ["Bytes", "CCoreML", "CProtobufC", "CoreMLFormat", "ProtobufWire", "TestSupport"]),
    tests("ONNXFormatTests", ["Bytes", "CONNX", "ONNXFormat", "ProtobufWire", "TestSupport"]),
    tests("DarknetFormatTests", ["Bytes", "DarknetFormat"]),
    tests("NumPyFormatTests", ["Bytes", "NumPyFormat", "ZipArchive"], exclude: ["Files"]),
    tests("SafetensorsFormatTests", ["Bytes", "SafetensorsFormat", "TestSupport"]),
    tests(
      "LayerCatalogTests",
      ["Bytes", "GraphIR", "JSON", "KerasFormat", "LayerCatalog", "_CatalogTesting"]),
    tests(
      "WeighbridgeTests",
      [
        "Bytes", "Conversion", "GraphIR", "JSON", "LayerCatalog", "Verifier", "Weighbridge",
        "WeighbridgeCommand", "_CatalogTesting",
      ]),

    // Whole models: what these suites share, and the suites.
    .target(
      name: "TestSupport", dependencies: ["ProtobufWire", "Weighbridge"], path: "Tests/TestSupport",
      swiftSettings: rules),
    tests(
      "ConversionTests",
      [
        "Bytes", "CKernels", "Conversion", "CoreMLFormat", "Digests", "GraphIR", "JSON",
        "LayerCatalog", "ProtobufWire", "ReferenceRuntime", "TestSupport", "WBMFormat",
        "Weighbridge", "_CatalogTesting",
      ], exclude: ["Files"]),
    tests(
      "VerifierTests",
      [
        "Bytes", "Conversion", "GraphIR", "LayerCatalog", "ReferenceRuntime", "TestSupport",
        "Verifier", "WBMFormat", "Weighbridge",
      ]),
    tests(
      "CPURuntimeTests",
      [
        "Bytes", "CKernels", "CPURuntime", "GraphIR", "LayerCatalog", "ReferenceRuntime",
        "TestSupport", "Verifier", "Weighbridge", "_CatalogTesting",
      ]),
    tests("VisionTests", ["Bytes", "GraphIR", "TestSupport", "Vision", "Weighbridge"]),
    tests(
      "ModelComparisonTests",
      [
        "Bytes", "GraphIR", "LayerCatalog", "ModelComparison", "TestSupport", "Verifier",
        "Weighbridge",
      ]),
    tests(
      "DetectionTests",
      [
        "Bytes", "Conversion", "GraphIR", "JSON", "LayerCatalog", "ReferenceRuntime",
        "TestSupport", "Vision", "Weighbridge",
      ]),
    tests(
      "WeighbridgeCommandTests",
      ["GraphIR", "JSON", "TestSupport", "Weighbridge", "WeighbridgeCommand"]),
  ]
)
