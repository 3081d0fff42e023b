import Bytes
import FormatRegistry
import Foundation
import Weighbridge

/// The files of Core ML packages.
extension FuzzTarget {
  static let packages: [FuzzTarget] = [packageManifest, program, constants]

  /// The manifest of a package that is otherwise a sample.
  static let packageManifest = FuzzTarget("package-manifest", ["Manifest.json"]) { bytes in
    try PackageFiles(sample: "linear", manifest: bytes).read()
  }

  /// An ML Program with its file of constants.
  static let program = FuzzTarget(
    "ml-program", ["model.mlmodel"], companion: "weights/weight.bin",
    sizeLimit: 1 << 17
  ) { bytes in
    let (model, constants) = parts(bytes)
    try PackageFiles(sample: "linear", model: model, constants: constants).read()
  }

  /// The file of constants of sample programs: plain, and in each form of compression.
  static let constants = FuzzTarget(
    "ml-constants",
    compressed.map { "/\($0).mlpackage/Data/com.apple.CoreML/weights/weight.bin" }
  ) { bytes in
    // The constants are those of one program, and the others refuse them.
    var errors: [any Error] = []
    for sample in compressed {
      do {
        try PackageFiles(sample: sample, constants: bytes).read()
      } catch { errors.append(error) }
    }
    if errors.count == compressed.count { throw errors[0] }
  }

  private static let compressed = ["wide", "int8", "palette4", "pruned_palette", "int4_blocks"]
}

/// The files of a Core ML package.
private struct PackageFiles {
  private var manifest: [UInt8]
  private var model: [UInt8]
  private var constants: [UInt8]

  /// Creates the files of a sample, of which some are replaced.
  init(
    sample: String, manifest: [UInt8]? = nil, model: [UInt8]? = nil, constants: [UInt8]? = nil
  ) throws {
    let package = "Samples/MLProgram/\(sample).mlpackage"
    func file(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(filePath: "\(package)/\(path)")))
    }
    self.manifest = try manifest ?? file("Manifest.json")
    self.model = try model ?? file("Data/com.apple.CoreML/model.mlmodel")
    self.constants = try constants ?? file("Data/com.apple.CoreML/weights/weight.bin")
  }

  /// Reads the package like `convert`, and like `inspect` if it cannot be converted.
  func read() throws {
    let path = ScratchFile.path(ending: ".mlpackage")
    let items = "\(path)/Data/com.apple.CoreML"
    try FileManager.default.createDirectory(
      atPath: "\(items)/weights", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(manifest).write(to: URL(filePath: "\(path)/Manifest.json"))
    try Data(model).write(to: URL(filePath: "\(items)/model.mlmodel"))
    try Data(constants).write(to: URL(filePath: "\(items)/weights/weight.bin"))
    try FuzzTarget.readModel(path)
  }
}
