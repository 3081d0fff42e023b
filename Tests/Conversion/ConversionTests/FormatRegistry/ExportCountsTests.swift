import Bytes
import Foundation
import GraphIR
import NCNNFormat
import TestSupport
import Testing
import Weighbridge

/// Every recorded model in every target: written, or refused before there is a file; what is written
/// reads back and computes what the original framework computed.
///
/// The counts are in `Sources/Product/Weighbridge/Weighbridge.docc/ExportCounts.md`, which
/// `make generate` updates if the reference files are available.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct ExportCountsTests {
  /// The percentage of a group that must be written, by target and the start of the group's name.
  private static let floors: [(target: ExportFormat, group: String, percent: Int)] = [
    (.onnx, "Keras 2", 95), (.onnx, "Keras 3", 95), (.onnx, "darknet", 90),
    (.coreml, "Keras 2", 85), (.coreml, "Keras 3", 85), (.ncnn, "Keras 2", 60),
    (.mlpackage, "Keras 2", 93), (.mlpackage, "Keras 3", 93), (.mlpackage, "darknet", 90),
    (.ncnn, "Keras 3", 60), (.ncnn, "darknet", 90), (.pyTorch, "Keras 2", 90),
    (.pyTorch, "Keras 3", 90), (.pyTorch, "darknet", 95),
  ]

  @Test("Every recorded model is written in every target or refused, and the counts are stated")
  func counts() throws {
    var rows: [String] = []
    for group in ExportGroup.all {
      var cells: [String] = []
      #expect(!group.cases.isEmpty, "\(group.name)")
      let outcomes = group.cases.map { ExportOutcome.all(of: $0) }
      for target in ExportFormat.allCases {
        let written = outcomes.count { $0[target] == .written }
        for (outcome, recorded) in zip(outcomes, group.cases) {
          if case .wrong(let reason)? = outcome[target] {
            Issue.record("\(recorded.name) as \(target.rawValue): \(reason)")
          }
        }
        cells.append("\(written)")
        for floor in Self.floors where floor.target == target && group.name.hasPrefix(floor.group) {
          #expect(written * 100 >= floor.percent * outcomes.count, "\(group.name), \(target)")
        }
      }
      rows.append("| \(group.name) | \(outcomes.count) | \(cells.joined(separator: " | ")) |")
    }
    try check(rows)
  }

  private func check(_ rows: [String]) throws {
    let titles = ExportFormat.allCases.map { "`.\($0.fileExtension)`" }
    let text = """
      # Exports in numbers

      How many of the recorded models each target takes.

      ## Overview

      Each model was written by a real framework, which also computed reference outputs. What a target
      has no form for is refused with a reason before there is a file. What was written was read back
      by Weighbridge and gave the recorded outputs, within 1e-4 (2e-3 for float16); of ncnn's files only
      layers and weights were read back, of a `.py` only its weights, and a `.tflite` that Weighbridge does not read is not counted. That other tools read it too, and that ncnn and PyTorch compute the same,
      is what `make test-peers` shows.

      | models | all | \(titles.joined(separator: " | ")) |
      |---|---|\(titles.map { _ in "---|" }.joined())
      \(rows.joined(separator: "\n"))

      Made by `ExportCountsTests`.

      """
    let path = "\(Paths.project)/Sources/Product/Weighbridge/Weighbridge.docc/ExportCounts.md"
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try Files.write(text.utf8, to: path)
    }
    #expect(String(decoding: try Files.read(path), as: UTF8.self) == text)
  }
}

/// A model among the reference files.
private struct ExportCase: Sendable {
  let name: String
  let path: String
  var options = ReadOptions()
  let inputs: String
  /// The recorded outputs; `nil` if another test compares them with what the model computes.
  let outputs: String?
}

/// Models of one kind.
private struct ExportGroup {
  let name: String
  let cases: [ExportCase]

  static var all: [ExportGroup] {
    [
      ExportGroup(
        name: "Keras 2.15, one layer each",
        cases: zoo("keras/zoo", ["k2.h5", "k2.keras"], ["outputs.npz", "outputs_k3jax.npz"])),
      ExportGroup(
        name: "Keras 3.15, one layer each",
        cases: zoo(
          "keras/zoo", ["k3.keras", "k3.h5"],
          ["outputs_k3.npz", "outputs_k3jax.npz", "outputs.npz"])),
      ExportGroup(
        name: "Keras 2.2.4, one layer each",
        cases: zoo("keras/oldzoo/k2.2.4", ["model.h5"], ["outputs.npz"])),
      ExportGroup(
        name: "Keras 1.2.2, one layer each",
        cases: zoo("keras/oldzoo/k1.2.2", ["k1.h5"], ["outputs.npz"])),
      ExportGroup(
        name: "Keras, whole networks",
        cases: FixtureModel.all.map {
          ExportCase(
            name: $0.file, path: $0.path, options: $0.options, inputs: $0.inputs,
            outputs: $0.outputs)
        }),
      ExportGroup(name: "darknet, one feature each", cases: darknet),
    ]
  }

  /// The cases of a folder, each with the first of `files` and of `outputs` that exists.
  private static func zoo(
    _ folder: String, _ files: [String], _ outputs: [String]
  ) -> [ExportCase] {
    Fixtures.folders(in: folder).compactMap { name in
      let path = Fixtures.file("\(folder)/\(name)")
      let names = Files.names(in: path)
      guard let file = files.first(where: names.contains),
        let expected = outputs.first(where: names.contains)
      else { return nil }
      var options = ReadOptions()
      if name == "lambda_affine" {
        options.customLayers =
          "\(Paths.project)/Tests/Conversion/ConversionTests/Files/lambda_affine.json"
      }
      return ExportCase(
        name: "\(folder)/\(name)", path: "\(path)/\(file)", options: options,
        inputs: "\(path)/inputs.npz", outputs: "\(path)/\(expected)")
    }
  }

  private static var darknet: [ExportCase] {
    DarknetFixtureTests.cases.filter(\.weightsFit).map {
      var options = ReadOptions()
      options.darknet = $0.fork
      return ExportCase(
        name: $0.testDescription, path: "\($0.folder)/case.cfg", options: options,
        inputs: "\($0.folder)/inputs.npz", outputs: nil)
    }
  }
}

/// The result of exporting a model to a target.
private enum ExportOutcome: Equatable {
  case written
  case notReadBack
  case refused
  case wrong(String)

  /// The outcomes of a model in all targets.
  static func all(of recorded: ExportCase) -> [ExportFormat: ExportOutcome] {
    var result: [ExportFormat: ExportOutcome] = [:]
    do {
      let model = try Model(contentsOf: recorded.path, options: recorded.options)
      let inputs = try ArrayFile.read(recorded.inputs)
      let expected =
        try recorded.outputs.map { try ArrayFile.read($0) } ?? model.run(inputs).outputs
      for target in ExportFormat.allCases {
        result[target] = of(model, recorded, target, inputs, expected)
      }
    } catch {
      for target in ExportFormat.allCases { result[target] = .wrong("\(error)") }
    }
    return result
  }

  private static func of(
    _ model: Model, _ recorded: ExportCase, _ target: ExportFormat, _ inputs: [NamedTensor],
    _ expected: [NamedTensor]
  ) -> ExportOutcome {
    do {
      let folder = try TemporaryFolder()
      var exportOptions = ExportOptions()
      exportOptions.withNMS = false
      if target == .mlpackage { exportOptions.precision = .float32 }
      let path = folder.file("m.\(target.fileExtension)")
      let report: ExportReport
      do {
        report = try model.export(to: path, as: target, options: exportOptions)
      } catch {
        guard error.code == .unsupported else { return .wrong("\(error)") }
        return folder.names.isEmpty ? .refused : .wrong("left \(folder.names)")
      }
      if target == .ncnn { return try ofNCNN(path, report) }
      if target == .pyTorch {
        return try PyTorchFiles(report).problem.map { .wrong($0) } ?? .written
      }
      var options = ReadOptions()
      switch target {
      case .safetensors, .npz:
        options = recorded.options
        options.architecture = recorded.options.architecture ?? recorded.path
      case .darknet: options.darknet = recorded.options.darknet
      default: break
      }
      let copy: Model
      do {
        copy = try Model(contentsOf: path, options: options)
      } catch {
        // A loop of an unknown number of steps; `make test-peers` runs it.
        guard target == .tflite, error.code == .unsupported else { return .wrong("\(error)") }
        return .notReadBack
      }
      let runsDirectly = target == .darknet && recorded.outputs == nil
      let actual =
        try runsDirectly
        ? copy.run(inputs).outputs
        : PortableRun(copy, report, target).outputs(inputs, like: expected)
      guard !expected.isEmpty, actual.count == expected.count else {
        return .wrong("\(actual.count) outputs, and \(expected.count) were recorded")
      }
      for (distance, pair) in zip(
        distances(actual: actual, expected: expected), zip(actual, expected))
      {
        let limit = pair.1.tensor.elementType == .float16 ? 2e-3 : 1e-4
        guard distance.error <= limit else { return .wrong("\(pair.0.name): \(distance)") }
      }
      return .written
    } catch { return .wrong("\(error)") }
  }
}

extension ExportOutcome {
  /// Reads ncnn's files, which cannot be read as models.
  fileprivate static func ofNCNN(_ path: String, _ report: ExportReport) throws -> ExportOutcome {
    let model = try NCNNModel(Array(Files.read(path)))
    let file = try ByteStore(Array(Files.read(report.files[1]))).withBytes {
      (bytes) throws(WeighbridgeError) in try NCNNFile(model, weights: bytes)
    }
    return file.model.layers.isEmpty ? .wrong("has no layers") : .written
  }
}
