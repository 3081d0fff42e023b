import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import ONNXFormat
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

@testable import ONNXConversion

/// The types of the values in ONNX files. With `WEIGHBRIDGE_ONNX_TYPES=FOLDER`, the files are written
/// for `Tests/Peers/onnx_types_peer.py`, which checks them with onnx and onnxruntime.
@Suite struct ONNXTypeTests {
  private static let folder = ProcessInfo.processInfo.environment["WEIGHBRIDGE_ONNX_TYPES"]
  /// Opsets with new versions of many operators; all of them for the peer.
  private static let opsets = folder == nil ? [13, 17, 21] : Array(13...21)

  @Test(
    "Every example, with elements of every type, is written with types that ONNX takes",
    arguments: opsets)
  func types(opset: Int) throws {
    var options = ONNXOptions()
    options.opset = opset
    var (writtenCount, refusals) = (0, [String]())
    for (number, entry) in ExportSubjects.examples.enumerated() {
      for type in ElementType.allCases {
        guard let example = entry.example.of(type) else { continue }
        let content = try example.content()
        let translation: ONNXTranslation
        do throws(WeighbridgeError) {
          translation = try ONNXTranslation(content, options: options)
        } catch {
          #expect(error.code == .unsupported, "\(entry.title) of \(type): \(error)")
          if error.reason.contains("becomes a") { refusals.append("\(type) \(error.reason)") }
          continue
        }
        writtenCount += 1
        var check = ONNXTypeCheck(opset: opset)
        check.check(translation.model.graph)
        #expect(check.problems.isEmpty, "\(entry.title) of \(type): \(check.problems)")
        if let folder = Self.folder {
          let name = "\(number)_\(example.operation.kind)_\(type.rawValue)_\(opset).onnx"
          _ = try content.export(to: "\(folder)/\(name)", as: .onnx(options))
        }
      }
    }
    #expect(writtenCount > 1_000)
    // What is left has no wider type: float64 and integers of 64 bits.
    for refusal in refusals {
      #expect(
        ["float64", "int64", "uint64", "uint32", "int32"].contains { refusal.hasPrefix($0) },
        "\(refusal)")
    }
  }
}

extension OperatorExample {
  /// The example with elements of another type in place of float32; `nil` where the operator does not
  /// take them.
  fileprivate func of(_ type: ElementType) -> OperatorExample? {
    guard inputs.contains(where: { $0.elementType == .float32 }) else {
      return type == .float32 ? self : nil
    }
    let converted = inputs.map { tensor in
      tensor.elementType == .float32
        ? Tensor(
          type, shape: tensor.shape, tensor.doubles.map { $0.rounded(.towardZero, for: type) })
        : tensor
    }
    guard (try? operation.checkedOutputTypes(of: converted.map(\.type))) != nil else { return nil }
    return OperatorExample(operation, inputs: converted)
  }
}

extension Double {
  /// The number, or for a type without fractions or signs the nearest one below that it has.
  fileprivate func rounded(_ rule: FloatingPointRoundingRule, for type: ElementType) -> Double {
    if type.isFloat { return self }
    if type == .bool { return self > 0 ? 1 : 0 }
    return type.rawValue.hasPrefix("u") ? magnitude.rounded(rule) : rounded(rule)
  }
}

/// A check of the types of a file's values against what its operators take.
private struct ONNXTypeCheck {
  let opset: Int
  private(set) var problems: [String] = []
  private var types: [String: ElementType] = [:]

  init(opset: Int) { self.opset = opset }

  mutating func check(_ graph: ONNXGraph) {
    for tensor in graph.initializers { types[tensor.name] = tensor.elementType }
    for feature in graph.inputs { types[feature.name] = feature.elementType }
    for node in graph.nodes { check(node) }
    for feature in graph.outputs where types[feature.name] != feature.elementType {
      problems.append("the output \(feature.name) is \(String(describing: types[feature.name]))")
    }
  }

  private mutating func check(_ node: ONNXNode) {
    var given: ElementType?
    var bodyOutputs: [ElementType] = []
    for (name, attribute) in node.attributes {
      if name == "to", case .integer(let number) = attribute {
        given = ElementType(onnxNumber: number)
      }
      if case .graph(let body) = attribute {
        check(body)
        bodyOutputs = body.outputs.map(\.elementType)
        // The first is the condition for the next step.
        if node.operation == "Loop" { bodyOutputs.removeFirst() }
      }
    }
    guard let signature = ONNXSignature.of(node.operation, opset: opset) else {
      return problems.append("\(node.operation) is not known")
    }
    var variables: [String: ElementType] = [:]
    for (position, name) in node.inputs.enumerated() where !name.isEmpty {
      guard let type = types[name] else {
        problems.append("\(name) has no type")
        continue
      }
      switch signature.input(position) {
      case .any: break
      case .type(let expected):
        if type != expected { problems.append("\(node.operation) takes \(type) at \(position)") }
      case .variable(let variable):
        if !(signature.variables[variable] ?? []).contains(type)
          || variables.updateValue(type, forKey: variable) ?? type != type
        {
          problems.append("\(node.operation) takes \(type) as \(variable)")
        }
      }
    }
    for (position, name) in node.outputs.enumerated() where !name.isEmpty {
      switch signature.output(position) {
      case .any: types[name] = position < bodyOutputs.count ? bodyOutputs[position] : nil
      case .type(let type): types[name] = type
      case .variable(let variable):
        types[name] = variables[variable] ?? given ?? (node.inputs.count == 1 ? .float32 : nil)
      }
    }
  }
}
