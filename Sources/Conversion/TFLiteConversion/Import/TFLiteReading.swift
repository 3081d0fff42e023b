import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// How an operator of TFLite is read.
struct TFLiteReading: Sendable {
  /// The number of its options in the union `BuiltinOptions`; `nil` when it needs none.
  let options: Int?
  let build: TFLiteLayer.Build

  init(options: Int? = nil, _ build: @escaping TFLiteLayer.Build) {
    (self.options, self.build) = (options, build)
  }

  /// Reads a function of one tensor.
  static func unary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> TFLiteReading {
    TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.apply(operation(), to: try layer.real())]
    }
  }

  /// Reads a function of two tensors, in which axes of size 1 are broadcast, and the activation of
  /// its result.
  ///
  /// - Parameter activation: The number of the option with the activation; `nil` for none.
  static func binary(
    options: Int? = nil, activation: Int? = nil,
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> TFLiteReading {
    TFLiteReading(options: options) { (layer) throws(WeighbridgeError) in
      if let activation {
        try layer.readActivation(activation)
        layer.ignore(1)  // how the powers of two of 16-bit scales are found
      }
      let values = [try layer.real(0), try layer.real(1)]
      if let product = operation() is Multiply ? SourceDimension.product(values) : nil {
        return [product]
      }
      return try layer.apply(operation(), try layer.aligned(values))
    }
  }
}

extension TFLiteOperators {
  /// Returns how an operator is read; `nil` for one that cannot be.
  static func entry(_ name: String) -> TFLiteReading? { entries[name] }

  private static let entries = [String: TFLiteReading](families: [
    TFLiteActivations.nodes, TFLiteArithmetic.nodes, TFLiteControl.nodes,
    TFLiteConvolutions.nodes, TFLiteDense.nodes,
    TFLiteIndexing.nodes, TFLitePooling.nodes, TFLiteRecurrent.nodes, TFLiteReductions.nodes,
    TFLiteReshaping.nodes, TFLiteResizing.nodes, TFLiteSlicing.nodes, TFLiteShapes.nodes,
    TFLiteQuantizing.nodes,
  ])

  /// The names of the operators that can be read.
  package static var readableNames: [String] { entries.keys.sorted() }
}
