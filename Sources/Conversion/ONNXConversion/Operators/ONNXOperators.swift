import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A family of operators, for export and import.
protocol ONNXFamily: SendableMetatype {
  /// The rows that convert the catalog's operators to ONNX.
  static var rows: [ONNXRow] { get }
  /// The functions that convert ONNX's operators, by name.
  static var nodes: [String: ONNXLayer.Build] { get }
}

/// All operators that can be written and read.
package enum ONNXOperators {
  private static let families: [any ONNXFamily.Type] = [
    ONNXActivations.self, ONNXArithmetic.self, ONNXAttention.self, ONNXBits.self,
    ONNXConstants.self, ONNXControl.self, ONNXConvolutions.self, ONNXDense.self,
    ONNXDimensions.self, ONNXEarlyOperators.self, ONNXEncoding.self, ONNXGeometry.self,
    ONNXGridSampling.self, ONNXIndexing.self, ONNXLogic.self, ONNXLosses.self, ONNXMerging.self,
    ONNXNormalizations.self, ONNXPooling.self, ONNXQuantization.self, ONNXRecurrent.self,
    ONNXReductions.self, ONNXRegions.self, ONNXReshaping.self, ONNXResizing.self,
    ONNXScattering.self,
    ONNXSequenceModels.self, ONNXSequences.self, ONNXSlicing.self, ONNXSpectra.self,
  ]

  /// How each operator is converted to ONNX. An operator without a row is decomposed.
  static let table = ExportTable(
    layout: .channelsFirst, families.map { $0.rows })

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The names of ONNX's own operators that can be read, in alphabetical order.
  package static var readable: [String] { nodes.keys.sorted() }

  /// Returns the reason why operators of a kind are never written; `nil` if they are, by a row or
  /// decomposed.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// Returns the function that converts an ONNX operator; `nil` if it cannot be read.
  static func builder(_ kind: ONNXOutline.Operator) -> ONNXLayer.Build? {
    switch kind.domain {
    case "": nodes[kind.name]
    case ONNXMachineLearning.domain: ONNXMachineLearning.nodes[kind.name]
    case ONNXRuntimeQuantization.domain: ONNXRuntimeQuantization.nodes[kind.name]
    default: nil
    }
  }

  private static let nodes = [String: ONNXLayer.Build](families: families.map { $0.nodes })
}

extension ONNXFamily {
  /// No rows by default.
  static var rows: [ONNXRow] { [] }

  /// No nodes by default.
  static var nodes: [String: ONNXLayer.Build] { [:] }

  /// Reads an operator of one tensor without attributes.
  static func unary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in [try layer.apply(operation(), to: try layer.input())] }
  }

  /// Reads an operator of one tensor with one numeric attribute.
  static func unary(
    _ attribute: String, default defaultValue: Double,
    _ operation: @escaping @Sendable (Double) -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let number = try layer.float(attribute, default: defaultValue)
      return [try layer.apply(operation(number), to: try layer.input())]
    }
  }

  /// Reads an operator that combines any number of tensors element by element, from first to last.
  static func combining(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let values = try layer.aligned(try layer.allInputs())
      return values.count == 1 ? values : try layer.apply(operation(), values)
    }
  }
}

typealias ONNXRow = ExportRow<ONNXGraphBuilder>

extension ExportRow<ONNXGraphBuilder> {
  /// Creates a row for an operator that is an ONNX operator without attributes.
  init(_ type: any CatalogOperator.Type, is name: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [builder.add(name, builder.allInputs())]
    }
  }

  /// Creates a row for an operator that is an ONNX operator with the given attributes. Where onnxruntime
  /// does not compute with the type, a composite becomes its decomposition.
  init<Operation: CatalogOperator>(
    _ type: Operation.Type, is name: String,
    _ attributes: @escaping @Sendable (Operation) -> KeyValuePairs<String, ONNXAttribute>
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive || builder.runs(name) else { return nil }
      return builder.add(name, builder.allInputs(), attributes(operation))
    }
  }

  /// Creates a row for an operator that combines its inputs from first to last.
  init(_ type: any CatalogOperator.Type, chain name: String) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [builder.chain(name, builder.allInputs())]
    }
  }
}
