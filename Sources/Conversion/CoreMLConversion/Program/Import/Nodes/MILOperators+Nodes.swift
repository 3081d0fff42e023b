import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILOperators {
  /// How the operators of MIL are read, by name.
  static let nodes = [String: MILLayer.Build](families: [
    MILActivations.nodes, MILArithmetic.nodes, MILCompression.nodes, MILControl.nodes,
    MILConvolutions.nodes, MILDense.nodes,
    MILIndexing.nodes, MILNormalizations.nodes, MILPooling.nodes, MILRecurrent.nodes,
    MILReductions.nodes, MILReshaping.nodes, MILResizing.nodes, MILSampling.nodes,
    MILScattering.nodes,
  ])

  /// The names of the operators that can be read.
  package static var readableNames: [String] { nodes.keys.sorted() }

  /// Reads a function of one tensor.
  static func unary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> MILLayer.Build {
    { (layer) throws(WeighbridgeError) in [try layer.apply(operation(), to: try layer.input())] }
  }

  /// Reads a function of two tensors, in which axes of size 1 are broadcast.
  static func binary(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> MILLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let values = [try layer.input("x"), try layer.input("y")]
      if let product = operation() is Multiply ? SourceDimension.product(values) : nil {
        return [product]
      }
      return try layer.apply(operation(), try layer.aligned(values))
    }
  }
}

extension MILLayer {
  /// Adds a number to a value unless it is 0.
  mutating func adding(
    _ number: Double, to value: SourceValue, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    number == 0
      ? value
      : try apply(Add(), to: value, self.number(number, like: value, role), role: "with_\(role)")
  }

  /// Multiplies a value by a number unless that is 1.
  mutating func scaling(
    _ value: SourceValue, by number: Double, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    number == 1
      ? value
      : try apply(Multiply(), to: value, self.number(number, like: value, role), role: "by_\(role)")
  }
}
