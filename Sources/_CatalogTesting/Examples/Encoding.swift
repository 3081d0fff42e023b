import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Operators between indices and features.
  static let encoding: [OperatorExample] = [
  ]

  /// Attention, and the product it is made of.
  static let attention: [OperatorExample] = [
  ]
}
