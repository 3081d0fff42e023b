import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that ONNX had as experimental ones until its version 1.5, and that files of 2017 and 2018 use
/// (ONNX 1.2, Operators.md, "experimental").
enum ONNXEarlyOperators: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "Affine": { (layer) throws(WeighbridgeError) in
      let (factor, offset) = (
        try layer.float("alpha", default: 1), try layer.float("beta", default: 0)
      )
      let input = try layer.input()
      let scaled = try layer.scaled(input, by: factor, role: "scaled")
      return [try layer.apply(Add(), to: scaled, layer.number(offset, like: input, "beta"))]
    },
    "Crop": { (layer) throws(WeighbridgeError) in
      let border = try layer.integers("border") ?? []
      let size = try layer.integers("scale")
      let input = try layer.input()
      guard border.count == 4, size?.count ?? 2 == 2,
        (border + (size ?? [])).allSatisfy({ (0...1 << 24).contains($0) }),
        layer.type(input).rank == 4
      else {
        throw layer.malformed(
          "crops \(layer.type(input)) by border=\(border), and four numbers from 0 on for an image are expected"
        )
      }
      let (left, top, right, bottom) = (border[0], border[1], border[2], border[3])
      let ends = size.map { [top + $0[0], left + $0[1]] } ?? [-bottom, -right]
      let ranges = zip([top, left], ends).enumerated().map { axis, range in
        Slice.Range(
          axis: axis + 2, start: range.0, stop: range.1 == 0 ? nil : range.1, step: 1)
      }
      return [try layer.apply(Slice(ranges), to: input)]
    },
    "ImageScaler": { (layer) throws(WeighbridgeError) in
      let factor = try layer.float("scale", default: 1)
      let offsets = try layer.floats("bias") ?? []
      let input = try layer.input()
      let type = layer.type(input)
      guard type.rank == 4, type.shape[1].value ?? offsets.count == offsets.count else {
        throw layer.malformed(
          "has \(offsets.count) numbers in bias for \(type), expected one for each channel")
      }
      let scaled = try layer.scaled(input, by: factor, role: "scaled")
      let bias = Tensor(type.elementType, shape: [1, offsets.count, 1, 1], offsets)
      return [try layer.apply(Add(), to: scaled, layer.newConstant(bias, "bias"))]
    },
    "ParametricSoftplus": { (layer) throws(WeighbridgeError) in
      try layer.scaledFunction(Softplus(), defaults: (1, 1))
    },
    "ScaledTanh": { (layer) throws(WeighbridgeError) in
      try layer.scaledFunction(Tanh(), defaults: (1, 1))
    },
  ]
}

extension ONNXLayer {
  /// Adds alpha * function(beta * x).
  fileprivate mutating func scaledFunction(
    _ function: any CatalogOperator, defaults: (alpha: Double, beta: Double)
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let alpha = try float("alpha", default: defaults.alpha)
    let beta = try float("beta", default: defaults.beta)
    let argument = try scaled(try input(), by: beta, role: "beta")
    return [try scaled(try apply(function, to: argument, role: "function"), by: alpha, role: "")]
  }

  /// Adds a value multiplied by a number.
  fileprivate mutating func scaled(
    _ value: ONNXValue, by factor: Double, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    try apply(Multiply(), to: value, number(factor, like: value, "factor_\(role)"), role: role)
  }
}
