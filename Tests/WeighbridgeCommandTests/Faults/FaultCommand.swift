import Foundation
import TestSupport
import Testing

/// A command that writes, and the files that it makes.
struct FaultCommand: Sendable, CustomStringConvertible {
  let name: String
  /// The words; `OUT` stands for the folder that it writes to.
  let words: [String]
  /// The names of its outputs.
  let outputs: [String]
  /// What stands in the folder before, by name; the outputs' names have something old.
  var inputs: [String: String] = [:]

  var description: String { name }

  /// Whether HDF5 writes a part of the output.
  var writesHDF5: Bool { outputs.contains { $0.hasSuffix(".h5") || $0.hasSuffix(".keras") } }

  private static func convert(_ input: String, _ more: String...) -> FaultCommand {
    FaultCommand(
      name: "convert \(input)",
      words: ["convert", Places.sample(input), "-o", "OUT/m.wbm"] + more, outputs: ["m.wbm"])
  }

  private static func export(_ outputs: String..., options: [String] = []) -> FaultCommand {
    let model = Places.sample("Models/shape-detector/shape-detector.h5")
    return FaultCommand(
      name: "export \((outputs + options).joined(separator: " "))",
      words: ["export", model, "-o", "OUT/\(outputs[0])"] + options, outputs: outputs)
  }

  /// The commands, over the formats that are read and written.
  static let all: [FaultCommand] = [
    convert("Models/shape-detector/shape-detector.h5", "--author", "A"),
    convert("Models/shape-detector/shape-detector.h5", "--json"),
    convert("Hostile/keras/plain.h5"),
    FaultCommand(
      name: "compact",
      words: [
        "compact", Places.sample("Models/shape-detector/shape-detector.h5"), "--lossless", "-o",
        "OUT/m.wbm",
      ], outputs: ["m.wbm"]),
    FaultCommand(
      name: "report",
      words: [
        "report", Places.sample("Models/shape-detector/shape-detector.h5"), "--no-verify",
        "--no-profile", "--image", Places.sample("Models/shape-detector/picture.png"), "-o",
        "OUT/m.html",
      ], outputs: ["m.html"]),
    FaultCommand(
      name: "metadata --set", words: ["metadata", "OUT/m.wbm", "--set", "author=A"],
      outputs: ["m.wbm"]),
    export("m.onnx"), export("m.onnx", "m.onnx.data", options: ["--external-data"]),
    export("m.keras"), export("m.h5"), export("m.safetensors"), export("m.npz"),
    export("m.cfg", "m.weights"), export("m.param", "m.bin"), export("m.mlmodel"),
  ]

  /// A folder with old files in place of the outputs.
  func prepare(_ old: [String: Data]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, data) in old { try Files.write(data, to: folder.file(name)) }
    return folder
  }

  /// What stands there before: a model whose metadata changes, else something that must survive.
  func old(_ model: Data) -> [String: Data] {
    let isEdit = words.first == "metadata"
    return Dictionary(
      uniqueKeysWithValues: outputs.map { ($0, isEdit ? model : Data(Workplace.precious)) })
  }

  /// Runs it with the library preloaded.
  func run(in folder: TemporaryFolder, _ environment: [String: String]) throws -> Outcome {
    let words = words.map { $0.replacingOccurrences(of: "OUT", with: folder.path) }
    let library = try #require(FaultLibrary.path)
    return try Program.start(
      words, environment: environment.merging(["LD_PRELOAD": library]) { $1 }
    ).wait()
  }
}
