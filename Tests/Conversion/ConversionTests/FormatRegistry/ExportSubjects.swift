import Bytes
import FormatRegistry
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// The models of a table of exports.
struct ExportSubjects: Sendable, CustomTestStringConvertible {
  /// The table's file, in `Files`.
  let file: String
  /// The introduction at the top of the table.
  let introduction: String
  let variants: [ExportVariant]
  /// The models with their titles, sorted.
  let rows: [(title: String, read: @Sendable (ExportVariant) throws -> ExportSubject)]

  var testDescription: String { file }
  var path: String { "\(Paths.project)/Tests/Conversion/ConversionTests/Files/\(file)" }

  static let all = [catalog, samples]
}

extension ExportSubjects {
  /// Every example of the catalog, in every variant of every target.
  static let catalog = ExportSubjects(
    file: "exports.txt",
    introduction: """
      What the exporters do with every example of the catalog: of each target, how many examples are
      written, and a line for each that is not, with the reason. What is written in a target's usual
      version was read again and computes the same, but for the lines that say why it was not. Files
      for ncnn are read and computed by NCNNInterpreter; `make test-peers` computes with ncnn itself.
      Made by ExportTableTests; `make generate` renews it.
      """,
    variants: ExportVariant.all,
    rows: examples.map { title, example in
      (title, { try example.subject($0) })
    })

  /// The examples of the catalog with unique titles, sorted.
  static let examples: [(title: String, example: OperatorExample)] = {
    var numbers: [String: Int] = [:]
    return OperatorExample.all.map { example in
      let number = numbers[example.title, default: 0] + 1
      numbers[example.title] = number
      return (number == 1 ? example.title : "\(example.title) #\(number)", example)
    }.sorted { $0.title < $1.title }
  }()
}

extension ExportSubjects {
  /// Models of `Samples` with the outputs that their own frameworks recorded.
  static let samples = ExportSubjects(
    file: "exports-of-samples.txt",
    introduction: """
      What the exporters do with the models of Samples that have recorded outputs: of each target, how
      many are written, and a line for each that is not, with the reason. What is written was read
      again and gives the recorded outputs, but for the lines that say why it was not. Files for ncnn
      are read and computed by NCNNInterpreter; `make test-peers` computes with ncnn itself.
      Made by ExportTableTests; `make generate` renews it.
      """,
    variants: ExportVariant.usual,
    rows: recordings.sorted { $0.model < $1.model }.map { recording in
      (recording.model, { _ in try recording.subject() })
    })

  /// A model, and arrays, in `Samples`.
  private struct Recording {
    let model: String
    let inputs: String
    let outputs: String

    func subject() throws -> ExportSubject {
      ExportSubject(
        content: try ModelReader.read(Paths.sample(model)).content,
        inputs: try ArrayFile.read(Paths.sample(inputs)),
        outputs: try ArrayFile.read(Paths.sample(outputs)))
    }
  }

  private static var recordings: [Recording] {
    let folders =
      Files.names(in: Paths.sample("Layers")).map { "Layers/\($0)" }
      + ["Operations/keras2", "Operations/keras3", "ONNX"]
    let recordings = folders.flatMap { folder in
      let names = Files.names(in: Paths.sample(folder))
      return names.compactMap { name -> Recording? in
        guard let dot = name.lastIndex(of: "."),
          ["h5", "keras", "onnx"].contains(name[name.index(after: dot)...])
        else { return nil }
        let stem = "\(folder)/\(name[..<dot])"
        return Recording(
          model: "\(folder)/\(name)", inputs: "\(stem).inputs.npz", outputs: "\(stem).outputs.npz")
      }
    }
    let detector = "Models/shape-detector"
    return recordings + [
      Recording(
        model: "\(detector)/shape-detector.h5", inputs: "\(detector)/input.npy",
        outputs: "\(detector)/outputs.npz")
    ]
  }
}

extension OperatorExample {
  /// The example as a model, and what the reference engine computes from its inputs; only from the
  /// first of the batch if its size is unknown and the target takes one example at a time.
  fileprivate func subject(_ variant: ExportVariant) throws -> ExportSubject {
    let content = try content(openCount: variant.openCount)
    let isSingle = [.coreml, .ncnn].contains(variant.target) && variant.openCount > 0
    let inputs = dataPositions.map { position in
      let isOpen = isSingle && self.inputs[position].shape.count > 1
      return isOpen ? self.inputs[position].slice(0..<1, along: 0) : self.inputs[position]
    }
    let outputs = try ReferenceRuntime(workers: Workers(count: 1))
      .run(content.graph, inputs: inputs) { _ in }
    return ExportSubject(
      content: content,
      inputs: zip(content.graph.inputs, inputs).map { NamedTensor(name: $0.name, tensor: $1) },
      outputs: zip(content.graph.outputs, outputs).map { NamedTensor(name: $0.name, tensor: $1) })
  }

  /// The operator's kind and attributes and the types of its inputs, without Swift names.
  fileprivate var title: String {
    let attributes = operation.attributes.entries.map { "\($0.name)=\($0.value.text)" }
    let types = inputs.map { input in
      let type = input.elementType == .float32 ? "" : input.elementType.rawValue
      return "\(type)[\(input.shape.map(String.init).joined(separator: ","))]"
    }
    return
      "\(operation.kind)(\(attributes.joined(separator: " "))) on \(types.joined(separator: " "))"
  }
}

extension AttributeValue {
  fileprivate var text: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .string(let value): value.isEmpty ? "''" : value
    case .integers(let values): "[\(values.map { "\($0)" }.joined(separator: ","))]"
    case .reals(let values): "[\(values.map { "\($0)" }.joined(separator: ","))]"
    case .strings(let values): "[\(values.joined(separator: ","))]"
    }
  }
}
