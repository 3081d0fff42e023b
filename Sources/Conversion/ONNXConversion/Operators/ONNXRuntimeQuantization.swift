import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The operators on quantized tensors that onnxruntime's quantizer writes where ONNX has none: each computes
/// with the numbers that the integers stand for, and rounds the result
/// (onnxruntime/docs/ContribOperators.md).
enum ONNXRuntimeQuantization: ONNXFamily {
  /// The domain of the operators.
  static let domain = "com.microsoft"

  static let nodes: [String: ONNXLayer.Build] = [
    "QGemm": { (layer) throws(WeighbridgeError) in
      let first = try layer.dequantized(
        try layer.input(0), try layer.parameters(1), role: "first")
      let transposes = (try layer.flag("transA"), try layer.flag("transB"))
      let (axis, alpha) = (transposes.1 ? 0 : 1, try layer.float("alpha", default: 1))
      let second = try layer.dequantized(
        try layer.input(3), try layer.parameters(4, axis: axis), role: "second")
      var bias = try layer.optional(6)
      if let sums = bias {
        let factors = try layer.aligned([
          try layer.input(1), try layer.input(4),
          layer.number(alpha, like: try layer.input(1), "alpha"),
        ])
        let scale = try layer.apply(Multiply(), factors, role: "bias/scale")[0]
        bias = try layer.dequantized(
          sums, QuantizationParameters(scale, nil, axis: layer.type(sums).rank - 1), role: "bias")
      }
      let sum = try layer.affineProduct(
        first, second, bias: bias, factor: alpha, transposes: transposes, role: "sum")
      guard try layer.optional(7) != nil else { return [try layer.apply(Identity(), to: sum)] }
      return [try layer.quantized(sum, try layer.parameters(7), role: "")]
    },
    "QLinearAdd": combination { Add() },
    "QLinearConcat": { (layer) throws(WeighbridgeError) in
      var parts: [ONNXValue] = []
      for position in stride(from: 2, to: layer.node.inputs.count, by: 3) {
        parts.append(
          try layer.dequantized(
            try layer.input(position), try layer.parameters(position + 1),
            role: "part_\(position / 3)"))
      }
      guard let first = parts.first else {
        throw layer.malformed("has no tensors, and it concatenates one or more")
      }
      let axis = try layer.axis(try layer.integer("axis", default: 0), rank: layer.type(first).rank)
      let whole = try layer.apply(Concatenate(axis: axis), parts, role: "whole")
      return [try layer.quantized(whole[0], try layer.parameters(0), role: "")]
    },
    "QLinearGlobalAveragePool": { (layer) throws(WeighbridgeError) in
      let isLast = try layer.flag("channels_last")
      return try layer.rounding { (layer, value) throws(WeighbridgeError) in
        let rank = layer.type(value).rank
        let axes = isLast ? Array(1..<max(1, rank - 1)) : Array(2..<max(2, rank))
        return try layer.apply(Reduce(.mean, axes: axes, keepDims: true), to: value, role: "mean")
      }
    },
    "QLinearLeakyRelu": { (layer) throws(WeighbridgeError) in
      let slope = try layer.float("alpha", default: 0.01)
      return try layer.rounding { (layer, value) throws(WeighbridgeError) in
        try layer.apply(LeakyReLU(slope: slope), to: value, role: "function")
      }
    },
    "QLinearMul": combination { Multiply() },
    "QLinearSigmoid": { (layer) throws(WeighbridgeError) in
      try layer.rounding { (layer, value) throws(WeighbridgeError) in
        try layer.apply(Sigmoid(), to: value, role: "function")
      }
    },
  ]

  /// Reads an operator that combines two tensors element by element.
  private static func combination(
    _ operation: @escaping @Sendable () -> any CatalogOperator
  ) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let first = try layer.dequantized(
        try layer.input(0), try layer.parameters(1), role: "first")
      let second = try layer.dequantized(
        try layer.input(3), try layer.parameters(4), role: "second")
      let result = try layer.apply(
        operation(), layer.aligned([first, second]), role: "combination")
      return [try layer.quantized(result[0], try layer.parameters(6), role: "")]
    }
  }
}

extension ONNXLayer {
  /// Adds a function of the numbers that the first input's integers stand for, rounded as the inputs 3 and 4
  /// say.
  fileprivate mutating func rounding(
    _ function: (inout ONNXLayer, ONNXValue) throws(WeighbridgeError) -> ONNXValue
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let value = try dequantized(try input(0), try parameters(1), role: "input")
    return [try quantized(try function(&self, value), try parameters(3), role: "")]
  }
}
