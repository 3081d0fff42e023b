// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors with the compiler that they were settled with: another version warns of other
/// things, in unsafe code above all.
#if compiler(>=6.3) && compiler(<6.4)
  let warnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
  let warnings: [SwiftSetting] = []
#endif

/// The Swift settings of every target: stricter rules in addition to Swift 6 language mode (from
/// the tools version).
let rules: [SwiftSetting] =
  warnings + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]

/// For what need not be fast in a release build of the tests, so that the compiler is done with it
/// in a fifth of the time: the tests themselves and, if they are built with `WEIGHBRIDGE_TESTS=1` as
/// the Makefile does, all that converts models and shows them. What computes is optimized.
let unoptimized: SwiftSetting = .unsafeFlags(["-Onone"], .when(configuration: .release))
let quickly = Context.environment["WEIGHBRIDGE_TESTS"] == nil ? [] : [unoptimized]

/// The folders of `Sources`, the lowest first. A module may depend on its own floor and on lower
/// ones only, which the end of this file checks.
enum Floor: String, CaseIterable {
  case cLibraries = "CLibraries"
  case base = "Base"
  case formats = "Formats"
  case operators = "Operators"
  case execution = "Execution"
  case conversion = "Conversion"
  case product = "Product"
  case support = "Support"

  func folder(of module: String) -> String { "Sources/\(rawValue)/\(module)" }

  /// The floors of the modules among `targets` by their names, counted from the lowest.
  static func numbers(of targets: [Target]) -> [String: Int] {
    var numbers: [String: Int] = [:]
    for target in targets {
      numbers[target.name] = allCases.firstIndex { $0.folder(of: target.name) == target.path }
    }
    return numbers
  }
}

/// A module of this package. `dependencies` may name its own floor and lower ones (see the layout
/// in `CONTRIBUTING.md`). Each unsafe expression is marked `unsafe`, except in the interface for C,
/// whose functions all get pointers from their callers.
func module(
  _ floor: Floor, _ name: String, _ dependencies: [Target.Dependency] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: floor.folder(of: name),
    swiftSettings: rules + (name == "CInterface" ? [] : [.strictMemorySafety()])
      + ([.conversion, .product, .support].contains(floor) ? quickly : []))
}

/// The modules of which Weighbridge re-exports something. What imports Weighbridge depends on them too,
/// since incremental builds only follow modules that are named.
let reexported: [Target.Dependency] = [
  "ArrayConversion", "ConversionCore", "CoreMLConversion", "DarknetConversion", "FormatRegistry",
  "KerasConversion", "ONNXConversion", "WBMConversion",
]

/// A C module.
func cLibrary(
  _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [CSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: Floor.cLibraries.folder(of: name),
    cSettings: settings)
}

func library(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: Floor.cLibraries.folder(of: name), pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])])
}

/// Tests of a floor's modules, in the folder of the same floor.
func tests(
  _ floor: Floor, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(floor.rawValue)/\(name)",
    exclude: exclude,
    swiftSettings: rules + [unoptimized])
}

#if os(macOS)
  let hdf5 = "hdf5"  // Homebrew's name for pkg-config
#else
  let hdf5 = "hdf5-serial"  // Debian's name, which differs from the MPI variants
#endif

let package = Package(
  name: "weighbridge",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Weighbridge", targets: ["Weighbridge"]),
    // Files by URL, for programs that use Foundation anyway.
    .library(name: "WeighbridgeFoundation", targets: ["WeighbridgeFoundation"]),
    .library(name: "ImageSearch", targets: ["ImageSearch"]),
    .library(name: "ModelReport", targets: ["ModelReport"]),
    // The Makefile turns it into libweighbridge, with a version and with only the header's symbols.
    .library(name: "CInterface", type: .dynamic, targets: ["CInterface"]),
    .executable(name: "weighbridge", targets: ["WeighbridgeCommand"]),
  ],
  // Without the trait, the library can be built and used where there is no libhdf5; it then reads
  // Keras files but does not write them.
  traits: [
    .trait(name: "WritingHDF5", description: "Writes Keras .h5 and .keras files, by libhdf5."),
    .default(enabledTraits: ["WritingHDF5"]),
  ],
  dependencies: [
    // The command line: parsing, help texts, shell completions.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // System libraries, each for one purpose.
    // Writing HDF5, the container of Keras .h5 files; reading it in tests.
    library("CHDF5", pkgConfig: hdf5, apt: "libhdf5-dev", brew: "hdf5"),
    // Packing and unpacking the header of .wbm.
    library("CProtobufC", pkgConfig: "libprotobuf-c", apt: "libprotobuf-c-dev", brew: "protobuf-c"),
    // XXH3-128, the integrity digest of .wbm.
    library("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev", brew: "xxhash"),
    // SHA-256, the provenance digest of source files.
    library("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    // Parsing YAML, in which Keras 1 and 2 wrote architectures.
    library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    // Deflate and CRC-32 of ZIP members.
    library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    // Decoding and encoding JPEG images.
    library("CJPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
    // Decoding and encoding PNG images.
    library("CPNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
    // The index of images.
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),

    // Rank 0: bytes, text and the graph, independent of file formats.
    // Three Linux calls that are missing from Swift's C library module.
    cLibrary("CSystemCalls", [], [.define("_GNU_SOURCE")]),
    module(.base, "Bytes", ["CSystemCalls"]),
    module(.base, "JSON", ["Bytes"]),
    module(.base, "Digests", ["Bytes", "CCrypto", "CKernels", "CXXHash"]),
    module(.base, "YAML", ["Bytes", "JSON", "CYAML"]),
    module(.base, "TensorEncoding", ["Bytes", "CKernels"]),
    module(.base, "DetectorRecord", ["Bytes"]),
    module(.base, "GraphIR", ["Bytes", "CKernels", "DetectorRecord", "TensorEncoding"]),
    module(.base, "ProtobufWire", ["Bytes", "CProtobufC"]),
    module(.base, "FlatBuffers", ["Bytes"]),
    module(.base, "Deflate", ["CZlib"]),
    module(.base, "ZipArchive", ["Bytes", "CZlib", "Deflate"]),

    // Rank 1: syntax only, bytes to plain records and back.
    module(.formats, "HDF5File", ["Bytes", "Deflate"]),
    module(
      .formats, "HDF5Writing",
      ["Bytes", .target(name: "CHDF5", condition: .when(traits: ["WritingHDF5"]))]),
    module(
      .formats, "KerasFormat",
      [
        "Bytes", "HDF5File", "HDF5Writing", "JSON", "TensorEncoding", "TensorFlowFormat", "YAML",
        "ZipArchive",
      ]),
    module(
      .formats, "TensorFlowFormat", ["Bytes", "Digests", "JSON", "ProtobufWire"]),
    module(.formats, "DarknetFormat", ["Bytes"]),
    module(.formats, "NumPyFormat", ["Bytes", "ZipArchive"]),
    cLibrary("CCoreML", ["CProtobufC"]),
    module(
      .formats, "CoreMLFormat",
      ["Bytes", "CCoreML", "CProtobufC", "Digests", "JSON", "ProtobufWire"]),
    module(.formats, "NCNNFormat", ["Bytes"]),
    module(.formats, "TFLiteFormat", ["Bytes", "FlatBuffers", "ZipArchive"]),
    module(.formats, "PyTorchFormat", ["Bytes", "JSON", "ZipArchive"]),
    module(.formats, "SafetensorsFormat", ["Bytes", "JSON"]),
    cLibrary("CONNX", ["CProtobufC"]),
    module(.formats, "ONNXFormat", ["Bytes", "CONNX", "CProtobufC", "ProtobufWire"]),
    cLibrary("CWBM", ["CProtobufC"]),
    module(
      .formats, "WBMFormat",
      [
        "Bytes", "DetectorRecord", "Digests", "CWBM", "CProtobufC", "ProtobufWire",
        "TensorEncoding",
      ]),

    // Rank 2: one file per operator.
    module(.operators, "LayerCatalog", ["Bytes", "GraphIR"]),

    // Conversion: the core that all formats share, and a module for each format with both
    // directions.
    module(
      .conversion, "ConversionCore",
      [
        "Bytes", "DarknetFormat", "DetectorRecord", "Digests", "GraphIR", "JSON", "LayerCatalog",
        "TensorEncoding", "ZipArchive",
      ]),
    module(
      .conversion, "KerasConversion",
      [
        "Bytes", "ConversionCore", "GraphIR", "JSON", "KerasFormat", "LayerCatalog",
      ]),
    module(
      .conversion, "DarknetConversion",
      ["Bytes", "ConversionCore", "DarknetFormat", "GraphIR", "LayerCatalog"]),
    module(
      .conversion, "ONNXConversion",
      [
        "Bytes", "ConversionCore", "GraphIR", "LayerCatalog", "NumPyFormat", "ONNXFormat",
      ]),
    module(
      .conversion, "CoreMLConversion",
      [
        "Bytes", "ConversionCore", "CPURuntime", "CoreMLFormat", "GraphIR", "JSON",
        "LayerCatalog", "ProtobufWire", "TensorEncoding",
      ]),
    module(
      .conversion, "NCNNConversion",
      ["Bytes", "ConversionCore", "GraphIR", "LayerCatalog", "NCNNFormat"]),
    module(
      .conversion, "TFLiteConversion",
      [
        "Bytes", "ConversionCore", "FlatBuffers", "GraphIR", "LayerCatalog", "TensorEncoding",
        "TFLiteFormat",
      ]),
    module(
      .conversion, "PyTorchConversion",
      ["Bytes", "ConversionCore", "GraphIR", "LayerCatalog", "SafetensorsFormat"]),
    module(
      .conversion, "TensorFlowConversion",
      ["Bytes", "ConversionCore", "GraphIR", "KerasFormat", "LayerCatalog", "TensorFlowFormat"]),
    module(
      .conversion, "WBMConversion",
      [
        "Bytes", "ConversionCore", "DetectorRecord", "Digests", "GraphIR", "LayerCatalog",
        "TensorEncoding", "WBMFormat",
      ]),
    module(  // Weights only: .npz and safetensors.
      .conversion, "ArrayConversion",
      [
        "Bytes", "ConversionCore", "GraphIR", "LayerCatalog", "NumPyFormat", "PyTorchFormat",
        "SafetensorsFormat",
      ]),
    module(  // The registry of the formats that are read and written.
      .conversion, "FormatRegistry",
      [
        "ArrayConversion", "Bytes", "ConversionCore", "CoreMLConversion", "CoreMLFormat",
        "DarknetConversion", "GraphIR", "JSON", "KerasConversion", "KerasFormat", "LayerCatalog",
        "NCNNConversion", "ONNXConversion", "ONNXFormat", "PyTorchConversion", "PyTorchFormat",
        "SafetensorsFormat", "TFLiteConversion", "TensorFlowConversion", "TensorFlowFormat",
        "WBMConversion",
      ]),

    // Execution: everything that uses graphs.
    // Custom kernels with vector instructions that are detected at run time.
    cLibrary("CKernels"),
    module(.execution, "CPURuntime", ["Bytes", "CKernels", "GraphIR", "LayerCatalog"]),
    module(.execution, "ReferenceRuntime", ["Bytes", "GraphIR", "LayerCatalog"]),
    module(.execution, "Verifier", ["Bytes", "GraphIR", "LayerCatalog"]),
    // Chooses the encoding of each weight.
    module(
      .execution, "Compaction",
      ["Bytes", "CKernels", "CPURuntime", "GraphIR", "LayerCatalog", "TensorEncoding"]),
    module(
      .execution, "ModelComparison", ["Bytes", "GraphIR", "LayerCatalog", "Verifier"]),
    // Keeps the longjmp of both image libraries away from Swift.
    cLibrary("CImages", ["CJPEG", "CPNG"]),
    module(.execution, "Vision", ["Bytes", "CImages", "CKernels", "GraphIR"]),

    // Rank 4: the library product and the program.
    // What a model is for, and a typed Swift interface of it.
    module(.product, "ModelUse", ["Bytes", "GraphIR", "LayerCatalog"]),
    module(
      .product, "Weighbridge",
      reexported + [
        "Bytes", "Compaction", "CPURuntime", "DarknetFormat", "Digests", "GraphIR", "JSON",
        "KerasFormat", "LayerCatalog", "ModelComparison", "ModelUse", "NumPyFormat",
        "ReferenceRuntime", "TensorEncoding", "Verifier", "Vision", "WBMFormat",
      ]),
    module(.product, "WeighbridgeFoundation", ["Weighbridge"]),
    module(  // Image search by composition and by features, and its index.
      .product, "ImageSearch",
      ["Bytes", "CSQLite", "Digests", "GraphIR", "JSON", "Vision", "Weighbridge"]),
    module(  // A page that shows a model, or two side by side.
      .product, "ModelReport",
      [
        "Bytes", "ConversionCore", "CoreMLConversion", "Digests", "GraphIR", "ModelComparison",
        "TensorEncoding", "Verifier", "Vision", "Weighbridge",
      ]),
    // The header of the C interface, from which Swift imports its structs.
    cLibrary("CWeighbridge", [], [.define("_GNU_SOURCE")]),
    module(
      .product, "CInterface",
      [
        "Bytes", "CWeighbridge", "ConversionCore", "DarknetFormat", "FormatRegistry", "GraphIR",
        "ImageSearch", "JSON", "ModelReport", "Verifier", "Vision", "Weighbridge",
      ]),
    .executableTarget(  // What WeighbridgePlugin runs.
      name: "InterfaceGenerator",
      dependencies: ["Bytes", "ConversionCore", "ModelUse", "WBMConversion"],
      path: Floor.product.folder(of: "InterfaceGenerator"),
      swiftSettings: rules + [.strictMemorySafety()] + quickly),
    .executableTarget(
      name: "WeighbridgeCommand",
      dependencies: reexported + [
        "Bytes", "CSystemCalls",
        "DarknetFormat", "GraphIR", "ImageSearch", "JSON",
        "ModelComparison", "ModelReport", "TensorEncoding", "Verifier", "Vision", "Weighbridge",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: Floor.product.folder(of: "WeighbridgeCommand"),
      swiftSettings: rules + [.strictMemorySafety()] + quickly),

    // Support: code that tests and benchmarks share.
    module(.support, "_CatalogTesting", ["Bytes", "GraphIR", "LayerCatalog"]),

    // Tests mirror the sources.
    tests(.base, "BytesTests", ["Bytes"]),
    tests(.base, "JSONTests", ["Bytes", "JSON"]),
    tests(.base, "DigestsTests", ["Bytes", "Digests"]),
    tests(.base, "TensorEncodingTests", ["Bytes", "TensorEncoding"]),
    tests(.base, "GraphIRTests", ["Bytes", "GraphIR", "TensorEncoding"]),
    tests(.base, "ProtobufWireTests", ["Bytes", "CONNX", "CProtobufC", "ProtobufWire"]),
    tests(.base, "ZipArchiveTests", ["Bytes", "ZipArchive"], exclude: ["Files"]),
    tests(
      .formats, "HDF5FileTests", ["Bytes", "CHDF5", "HDF5File", "HDF5Writing", "ZipArchive"],
      exclude: ["Files"]),
    tests(.base, "YAMLTests", ["Bytes", "JSON", "YAML"]),
    tests(
      .formats, "KerasFormatTests",
      ["Bytes", "HDF5File", "JSON", "KerasConversion", "KerasFormat"],
      exclude: ["Files"]),
    tests(
      .formats, "WBMFormatTests",
      ["Bytes", "DetectorRecord", "Digests", "JSON", "ProtobufWire", "TensorEncoding", "WBMFormat"]),
    tests(
      .formats, "CoreMLFormatTests",
      ["Bytes", "CCoreML", "CProtobufC", "CoreMLFormat", "ProtobufWire", "TestSupport"]),
    tests(
      .formats, "ONNXFormatTests", ["Bytes", "CONNX", "ONNXFormat", "ProtobufWire", "TestSupport"]),
    tests(.formats, "DarknetFormatTests", ["Bytes", "DarknetFormat"]),
    tests(
      .formats, "NumPyFormatTests", ["Bytes", "NumPyFormat", "ZipArchive"], exclude: ["Files"]),
    tests(.formats, "NCNNFormatTests", ["Bytes", "NCNNFormat", "TestSupport"]),
    tests(.formats, "SafetensorsFormatTests", ["Bytes", "SafetensorsFormat", "TestSupport"]),
    tests(
      .formats, "TensorFlowFormatTests",
      ["Bytes", "Digests", "ProtobufWire", "TensorFlowFormat", "TestSupport"]),
    tests(
      .operators, "LayerCatalogTests",
      ["Bytes", "GraphIR", "JSON", "LayerCatalog", "_CatalogTesting"], exclude: ["Files"]),
    tests(
      .conversion, "KerasConversionTests",
      [
        "Bytes", "GraphIR", "JSON", "KerasConversion", "KerasFormat", "LayerCatalog",
        "_CatalogTesting",
      ]),
    tests(
      .product, "WeighbridgeTests",
      reexported + [
        "Bytes", "GraphIR", "JSON", "LayerCatalog", "ModelReport", "ModelUse", "NCNNConversion",
        "PyTorchConversion", "ReferenceRuntime", "TFLiteConversion", "TestSupport", "Verifier",
        "Vision", "Weighbridge", "WeighbridgeCommand", "WeighbridgeFoundation", "_CatalogTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    tests(
      .execution, "ReferenceRuntimeTests", ["Bytes", "GraphIR", "LayerCatalog", "ReferenceRuntime"]),

    // Whole models: the suites and their shared code.
    .target(
      name: "TestSupport", dependencies: ["ProtobufWire", "Weighbridge"],
      path: "Tests/Support/TestSupport",
      swiftSettings: rules + quickly),
    tests(
      .conversion, "ConversionTests",
      reexported + [
        "NCNNFormat", "NCNNConversion", "PyTorchConversion", "TFLiteConversion", "Bytes",
        "CPURuntime", "CoreMLFormat", "Digests", "GraphIR", "JSON", "KerasFormat", "LayerCatalog",
        "ONNXFormat", "ProtobufWire", "ReferenceRuntime", "SafetensorsFormat", "TestSupport",
        "Verifier", "TFLiteFormat", "WBMFormat", "Weighbridge", "ZipArchive", "_CatalogTesting",
      ], exclude: ["Files"]),
    tests(
      .execution, "VerifierTests",
      reexported + [
        "Bytes", "GraphIR", "LayerCatalog", "ReferenceRuntime", "TestSupport", "Verifier",
        "WBMFormat", "Weighbridge",
      ]),
    tests(
      .execution, "CPURuntimeTests",
      [
        "Bytes", "CPURuntime", "GraphIR", "LayerCatalog", "ReferenceRuntime", "TestSupport",
        "Verifier", "Weighbridge", "_CatalogTesting",
      ]),
    tests(
      .execution, "CompactionTests",
      [
        "Bytes", "CPURuntime", "Compaction", "GraphIR", "LayerCatalog", "TensorEncoding",
        "TestSupport", "Vision", "Weighbridge", "_CatalogTesting",
      ]),
    tests(.execution, "VisionTests", ["Bytes", "GraphIR", "TestSupport", "Vision", "Weighbridge"]),
    tests(
      .execution, "ModelComparisonTests",
      [
        "Bytes", "GraphIR", "LayerCatalog", "ModelComparison", "TestSupport", "Verifier",
        "Weighbridge",
      ]),
    tests(
      .product, "ImageSearchTests",
      [
        "Bytes", "CSQLite", "GraphIR", "ImageSearch", "JSON", "TestSupport", "Vision",
        "Weighbridge",
      ]
    ),
    tests(
      .product, "ModelReportTests",
      [
        "Bytes", "GraphIR", "JSON", "LayerCatalog", "ModelReport", "TestSupport", "Verifier",
        "Vision", "Weighbridge",
      ]),
    tests(
      .product, "WeighbridgeCommandTests",
      [
        "GraphIR", "JSON", "LayerCatalog", "TestSupport", "Weighbridge", "WeighbridgeCommand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], exclude: ["Files"]),
  ]
)

// Typed interfaces of the .wbm files in other packages' targets. The program that the plugin runs and
// the modules that it needs are compiled separately from this package's own; so the plugin exists
// only for packages that depend on this one (or with WEIGHBRIDGE_PLUGIN=1).
let isDependency = ["/checkouts/", "/registry/"].contains { Context.packageDirectory.contains($0) }
if isDependency || Context.environment["WEIGHBRIDGE_PLUGIN"] != nil {
  package.products.append(.plugin(name: "WeighbridgePlugin", targets: ["WeighbridgePlugin"]))
  package.targets.append(
    .plugin(
      name: "WeighbridgePlugin", capability: .buildTool(), dependencies: ["InterfaceGenerator"],
      path: Floor.product.folder(of: "WeighbridgePlugin")))
}

// The documentation as a site, for `make docs`: the plugin for DocC, and the target with the first
// page and with the generated pages (the format, Python's API, the header for C). Nothing else
// needs them.
if Context.environment["WEIGHBRIDGE_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
  package.targets.append(
    .target(
      name: "Manual", dependencies: ["Weighbridge", "ImageSearch", "ModelReport"],
      path: "Documentation/Manual", swiftSettings: rules))
}

// Fuzzing of the readers, for `make fuzz` and `make mutate`; see Fuzz/README.md. They need a
// runtime library of the compiler that nothing else needs.
if Context.environment["WEIGHBRIDGE_FUZZ"] != nil {
  let folder = "Fuzz/Sources/"
  package.targets += [
    .target(  // The readers to fuzz, and their initial inputs.
      name: "FuzzTargets",
      dependencies: [
        "Bytes", "ConversionCore", "CoreMLFormat", "DarknetFormat", "FormatRegistry", "GraphIR",
        "HDF5File", "JSON", "KerasConversion", "KerasFormat", "NCNNFormat", "NumPyFormat",
        "ONNXFormat", "ProtobufWire", "PyTorchFormat", "SafetensorsFormat", "TensorEncoding",
        "TFLiteFormat", "TensorFlowConversion", "TensorFlowFormat", "Verifier", "Vision",
        "WBMConversion", "WBMFormat", "Weighbridge", "YAML", "ZipArchive", "_CatalogTesting",
      ], path: folder + "FuzzTargets", swiftSettings: rules),
    .executableTarget(  // libFuzzer, which searches for inputs that reach new code.
      name: "Fuzz", dependencies: ["FuzzTargets"], path: folder + "Fuzz", swiftSettings: rules),
    .executableTarget(  // Any number of mutated files, each a function of its number.
      name: "Mutate", dependencies: ["FuzzTargets"], path: folder + "Mutate", swiftSettings: rules),
  ]
}

// With `WEIGHBRIDGE_TEST_TARGETS=LayerCatalogTests,GraphIRTests` there are no other tests, so that
// `swift build --product weighbridgePackageTests` builds what these need and nothing else.
if let names = Context.environment["WEIGHBRIDGE_TEST_TARGETS"]?.split(separator: ",") {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name[...]) }
}

// No module depends on a higher floor: the manifest is not valid if one does.
let floors = Floor.numbers(of: package.targets)
for target in package.targets {
  guard let floor = floors[target.name] else { continue }
  for dependency in target.dependencies {
    switch dependency {
    case .byNameItem(let name, _), .targetItem(let name, _):
      guard let lower = floors[name], lower > floor else { continue }
      fatalError("\(target.name) depends on \(name), which is on a higher floor of Sources")
    default: continue
    }
  }
}
