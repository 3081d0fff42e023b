import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The operators that can be read.
enum TensorFlowOperators {
  typealias Table = [String: TensorFlowLayer.Build]

  static func builder(_ kind: String) -> TensorFlowLayer.Build? { builders[kind] }

  private static let builders = Table(families: [
    TensorFlowActivations.nodes, TensorFlowArithmetic.nodes, TensorFlowConstants.nodes,
    TensorFlowConvolutions.nodes, TensorFlowDense.nodes, TensorFlowIndexing.nodes,
    TensorFlowPooling.nodes, TensorFlowReductions.nodes, TensorFlowReshaping.nodes,
    TensorFlowResizing.nodes, TensorFlowSizes.nodes, TensorFlowSlicing.nodes,
  ])

  /// Reads a function of one tensor.
  static func unary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> TensorFlowLayer.Build {
    { (layer) throws(WeighbridgeError) in [try layer.apply(operation(), to: try layer.input())] }
  }

  /// Reads a function of two tensors, in which axes of size 1 are broadcast.
  static func binary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> TensorFlowLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let values = [try layer.input(0), try layer.input(1)]
      layer.ignore("incompatible_shape_error")
      if let product = operation() is Multiply ? SourceDimension.product(values) : nil {
        return [product]
      }
      return try layer.apply(operation(), try layer.aligned(values))
    }
  }
}
