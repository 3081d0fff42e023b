import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Reductions along axes, and running sums.
enum TensorFlowReductions {
  static let nodes = TensorFlowOperators.Table(families: [
    [
      "All": Reduce.Function.all, "Any": .any, "Max": .maximum, "Mean": .mean, "Min": .minimum,
      "Prod": .product, "Sum": .sum,
    ].mapValues(reduction),
    [
      "Cumsum": { (layer) throws(WeighbridgeError) in
        let input = try layer.input()
        let operation = CumSum(
          axis: try layer.axis(ofInput: 1, rank: layer.type(input).rank),
          isExclusive: try layer.flag("exclusive"), isReversed: try layer.flag("reverse"))
        return [try layer.apply(operation, to: input)]
      }
    ],
  ])

  private static func reduction(_ function: Reduce.Function) -> TensorFlowLayer.Build {
    { (layer) throws(WeighbridgeError) in [try layer.reduced(function)] }
  }
}

extension TensorFlowLayer {
  fileprivate mutating func reduced(
    _ function: Reduce.Function
  ) throws(WeighbridgeError) -> SourceValue {
    let (value, keepsAxes) = (try input(), try flag("keep_dims"))
    let axes = try axes(Array(Set(try constantIntegers(1))), rank: type(value).rank)
    if function == .product, !keepsAxes, let product = productOfSizes(value) { return product }
    if axes.isEmpty { return value }
    return try apply(Reduce(function, axes: axes, keepDims: keepsAxes), to: value)
  }
}
