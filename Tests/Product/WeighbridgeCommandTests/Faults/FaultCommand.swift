import Foundation
import TestSupport
import Testing

/// A command that writes files, and their names.
struct FaultCommand: Sendable, CustomStringConvertible {
  let name: String
  /// The arguments; `OUT` is replaced with the output folder.
  let arguments: [String]
  /// The names of its outputs.
  let outputs: [String]
  /// The files in the folder before the run, by name.
  var inputs: [String: String] = [:]
  /// Whether the outputs are the files of one folder, which is old or new as a whole.
  var isPackage = false
  /// Whether nothing is in the place of the outputs before the run.
  var startsEmpty = false

  var description: String { name }

  /// Whether HDF5 writes a part of the output.
  var writesHDF5: Bool { outputs.contains { $0.hasSuffix(".h5") || $0.hasSuffix(".keras") } }

  private static func convert(_ input: String, _ more: String...) -> FaultCommand {
    FaultCommand(
      name: "convert \(input)",
      arguments: ["convert", Paths.sample(input), "-o", "OUT/m.wbm"] + more, outputs: ["m.wbm"])
  }

  private static func export(_ outputs: String..., options: [String] = []) -> FaultCommand {
    let model = Paths.sample("Models/shape-detector/shape-detector.h5")
    return FaultCommand(
      name: "export \((outputs + options).joined(separator: " "))",
      arguments: ["export", model, "-o", "OUT/\(outputs[0])"] + options, outputs: outputs)
  }

  private static func package(startsEmpty: Bool) -> FaultCommand {
    let data = "m.mlpackage/Data/com.apple.CoreML"
    return FaultCommand(
      name: "export m.mlpackage \(startsEmpty ? "to nothing" : "over another")",
      arguments: [
        "export", Paths.sample("Models/shape-detector/shape-detector.h5"), "-o", "OUT/m.mlpackage",
      ],
      outputs: [
        "\(data)/model.mlmodel", "\(data)/weights/weight.bin", "m.mlpackage/Manifest.json",
      ], isPackage: true, startsEmpty: startsEmpty)
  }

  /// The commands, for all formats that are read and written.
  static let all: [FaultCommand] = [
    convert("Models/shape-detector/shape-detector.h5", "--author", "A"),
    convert("Models/shape-detector/shape-detector.h5", "--json"),
    convert("Hostile/keras/plain.h5"),
    FaultCommand(
      name: "compact",
      arguments: [
        "compact", Paths.sample("Models/shape-detector/shape-detector.h5"), "--lossless", "-o",
        "OUT/m.wbm",
      ], outputs: ["m.wbm"]),
    FaultCommand(
      name: "report",
      arguments: [
        "report", Paths.sample("Models/shape-detector/shape-detector.h5"), "--no-verify",
        "--no-profile", "--image", Paths.sample("Models/shape-detector/picture.png"), "-o",
        "OUT/m.html",
      ], outputs: ["m.html"]),
    FaultCommand(
      name: "metadata --set", arguments: ["metadata", "OUT/m.wbm", "--set", "author=A"],
      outputs: ["m.wbm"]),
    export("m.onnx"), export("m.onnx", "m.onnx.data", options: ["--external-data"]),
    export("m.keras"), export("m.h5"), export("m.safetensors"), export("m.npz"),
    export("m.cfg", "m.weights"), export("m.param", "m.bin"), export("m.mlmodel"),
    package(startsEmpty: false), package(startsEmpty: true),
  ]

  /// A folder that contains old files.
  func prepare(_ old: [String: Data]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, data) in old {
      let path = folder.file(name)
      try Files.makeFolder(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })
      try Files.write(data, to: path)
    }
    return folder
  }

  /// The files before the run: a model whose metadata is edited, else contents that must survive.
  func old(_ model: Data) -> [String: Data] {
    guard !startsEmpty else { return [:] }
    let isEdit = arguments.first == "metadata"
    return Dictionary(
      uniqueKeysWithValues: outputs.map { ($0, isEdit ? model : Data(Workspace.oldContents)) })
  }

  /// Runs the command with the library preloaded.
  func run(in folder: TemporaryFolder, _ environment: [String: String]) throws -> Outcome {
    let arguments = arguments.map { $0.replacingOccurrences(of: "OUT", with: folder.path) }
    let library = try FaultLibrary.path()
    return try Program.start(
      arguments, environment: environment.merging(["LD_PRELOAD": library]) { $1 }
    ).wait()
  }
}
