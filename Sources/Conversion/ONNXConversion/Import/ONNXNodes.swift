import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// What each of ONNX' operators becomes.
enum ONNXNodes {
  /// What an operator becomes; `nil` for one that cannot be read.
  static func builder(_ kind: ONNXOutline.Operator) -> ONNXLayer.Build? {
    switch kind.domain {
    case "": own[kind.name]
    case machineLearningDomain: machineLearning[kind.name]
    default: nil
    }
  }

  /// What the operators of ONNX' own set become, by name.
  private static let own = [String: ONNXLayer.Build](families: [
    activations, arithmetic, constants, control, convolutions, dense, dimensions, indexing, logic,
    normalizations, pooling, quantization, recurrent, reductions, reshaping, resizing, spectra,
  ])

  /// An operator of one tensor without settings.
  static func plain(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in [try layer.apply(operation(), to: try layer.input())] }
  }

  /// An operator of one tensor with a setting that is a number.
  static func plain(
    _ setting: String, default number: Double,
    _ operation: @escaping @Sendable (Double) -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let number = try layer.real(setting, default: number)
      return [try layer.apply(operation(number), to: try layer.input())]
    }
  }

  /// An operator that combines tensors element by element, each with what was combined before.
  static func combining(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let values = try layer.aligned(try layer.allInputs())
      return values.count == 1 ? values : try layer.apply(operation(), values)
    }
  }
}
