import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Quantized numbers, in steps of a scale around a zero point. Computations use the real numbers
/// that they stand for, rounded to steps where the file rounds them.
enum ONNXQuantization: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "DequantizeLinear": { (layer) throws(WeighbridgeError) in
      let size = try layer.integer("block_size", default: 0)
      let steps = Steps(
        try layer.input(1), try layer.optional(2), axis: try layer.integer("axis", default: 1))
      let value = try layer.input(0)
      if let weight = try layer.quantizedWeight(value, steps, blockSize: size) { return [weight] }
      guard size == 0 else { throw layer.blocksUnsupported }
      return [try layer.dequantized(value, steps, role: "")]
    },
    "QLinearConv": { (layer) throws(WeighbridgeError) in
      let input = try layer.dequantized(try layer.input(0), try layer.steps(1), role: "input")
      let kernel = try layer.dequantized(
        try layer.input(3), try layer.steps(4, axis: 0), role: "kernel")
      var bias = try layer.optional(8)
      if let sums = bias {
        let scale = try layer.apply(
          Multiply(), layer.aligned([try layer.input(1), try layer.input(4)]), role: "bias/scale")
        bias = try layer.dequantized(sums, Steps(scale[0], nil, axis: 0), role: "bias")
      }
      let sum = try layer.convolution(input, kernel, bias: bias, role: "convolution")
      return [try layer.quantized(sum, try layer.steps(6), role: "")]
    },
    "QLinearMatMul": { (layer) throws(WeighbridgeError) in
      let first = try layer.dequantized(
        try layer.input(0), try layer.steps(1, axis: -2), role: "first")
      let second = try layer.dequantized(
        try layer.input(3), try layer.steps(4, axis: -1), role: "second")
      let product = try layer.matrixProduct(first, second, role: "product")
      return [try layer.quantized(product, try layer.steps(6), role: "")]
    },
    "QuantizeLinear": { (layer) throws(WeighbridgeError) in
      let axis = try layer.quantizedAxis()
      layer.ignore("saturate", "precision")
      let steps = Steps(try layer.input(1), try layer.optional(2), axis: axis)
      return [try layer.quantized(try layer.input(0), steps, role: "")]
    },
  ]
}

/// How quantized numbers are mapped to real ones: the distance from the zero point, times the
/// scale.
private struct Steps {
  /// One number, or one for each position of an axis.
  let scale: ONNXValue
  /// The zero point, of the scale's shape; `nil` for 0.
  let zero: ONNXValue?
  let axis: Int

  init(_ scale: ONNXValue, _ zero: ONNXValue?, axis: Int) {
    self.scale = scale
    self.zero = zero
    self.axis = axis
  }
}

extension ONNXLayer {
  fileprivate mutating func quantizedAxis() throws(WeighbridgeError) -> Int {
    guard try integer("block_size", default: 0) == 0 else { throw blocksUnsupported }
    return try integer("axis", default: 1)
  }

  fileprivate var blocksUnsupported: WeighbridgeError {
    unsupported("\(node.operation) with a scale for each block of an axis")
  }

  /// A weight that stays quantized, with the integers of the file; `nil` for a value that is not a
  /// weight or is quantized in a way that cannot be kept.
  fileprivate mutating func quantizedWeight(
    _ value: ONNXValue, _ steps: Steps, blockSize: Int
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard case .constant(let name, let integers) = value, let scale = steps.scale.tensor,
      [.int8, .uint8].contains(integers.elementType), integers.count > 1,
      scale.elementType == .float32, scale.count > 0, steps.zero == nil || steps.zero?.tensor != nil
    else { return nil }
    let zeros = steps.zero?.tensor?.doubles.map { Int32($0) } ?? []
    let rank = integers.shape.count
    let meaning: QuantizedWeight.Meaning
    if blockSize > 0 {
      var blockShape = [Int](repeating: 1, count: rank)
      let place = try axis(steps.axis, rank: rank)
      blockShape[place] = min(blockSize, integers.shape[place])
      let grid = zip(integers.shape, blockShape).map { ($0 + $1 - 1) / $1 }
      guard scale.shape == grid, zeros.allSatisfy({ $0 == 0 }) else { return nil }
      meaning = .blocks(shape: blockShape, scales: scale)
    } else {
      guard scale.shape.count <= 1, zeros.isEmpty || zeros.count == scale.count else { return nil }
      let place = scale.count == 1 ? nil : try axis(steps.axis, rank: rank)
      if let place, integers.shape[place] != scale.count { return nil }
      meaning = .linear(
        .init(scales: scale.doubles.map { Float($0) }, zeroPoints: zeros, axis: place))
    }
    let weight = QuantizedWeight(integers, bits: integers.bitsOfIntegers, meaning)
    guard let encoded = weight.encoded else { return nil }
    let suffix = "/quantized"
    let own = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    return .constant(own, try Tensor(encoded))
  }

  /// The scale at an input position and the zero point at the next one.
  fileprivate func steps(_ position: Int, axis: Int = 0) throws(WeighbridgeError) -> Steps {
    Steps(try input(position), try optional(position + 1), axis: axis)
  }

  /// A scale or zero point, shaped to broadcast along its axis of a value.
  private mutating func alongAxis(
    _ number: ONNXValue, _ steps: Steps, rank: Int, type: ElementType, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let tensor = number.tensor, tensor.shape.count <= 1 else {
      throw unsupported(
        "\(node.operation) of a scale or a zero point that is known only when the model runs, or has "
          + "several axes")
    }
    var shape = [Int](repeating: 1, count: rank)
    if tensor.count != 1 { shape[try axis(steps.axis, rank: rank)] = tensor.count }
    let own = own(tensor.reshaped(shape), role)
    return tensor.elementType == type ? own : try apply(Cast(to: type), to: own, role: role)
  }

  /// Converts quantized numbers to the real numbers that they stand for.
  fileprivate mutating func dequantized(
    _ value: ONNXValue, _ steps: Steps, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let real = type(steps.scale).elementType
    let rank = type(value).rank
    let prefix = role.isEmpty ? "" : "\(role)/"
    var distance = try apply(Cast(to: real), to: value, role: "\(prefix)cast")
    if let zero = steps.zero, zero.tensor?.doubles.allSatisfy({ $0 == 0 }) != true {
      let zero = try alongAxis(zero, steps, rank: rank, type: real, role: "\(prefix)zero")
      distance = try apply(Subtract(), to: distance, zero, role: "\(prefix)distance")
    }
    let scale = try alongAxis(steps.scale, steps, rank: rank, type: real, role: "\(prefix)scale")
    return try apply(Multiply(), to: distance, scale, role: role)
  }

  /// Quantizes real numbers, rounding to the nearest step and halves to even.
  fileprivate mutating func quantized(
    _ value: ONNXValue, _ steps: Steps, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let stored = try integer("output_dtype", default: 0)
    let given = stored == 0 ? ElementType.uint8 : ElementType(onnxNumber: stored)
    let kind = steps.zero.map { type($0).elementType } ?? given
    guard let kind, let range = Self.ranges[kind] else {
      throw unsupported("\(node.operation) to other types than int8, uint8, int16 and uint16")
    }
    let (real, rank) = (type(value).elementType, type(value).rank)
    let scale = try alongAxis(steps.scale, steps, rank: rank, type: real, role: "scale")
    let count = try apply(BinaryMath(.divide), to: value, scale, role: "steps")
    var places = try apply(UnaryMath(.round), to: count, role: "round")
    if let zero = steps.zero, zero.tensor?.doubles.allSatisfy({ $0 == 0 }) != true {
      let zero = try alongAxis(zero, steps, rank: rank, type: real, role: "zero")
      places = try apply(Add(), to: places, zero, role: "places")
    }
    let kept = Clip(minimum: range.lowerBound, maximum: range.upperBound)
    return try apply(
      Cast(to: kind), to: try apply(kept, to: places, role: "range"), role: role)
  }

  private static let ranges: [ElementType: ClosedRange<Double>] = [
    .int8: -128...127, .uint8: 0...255, .int16: -32768...32767, .uint16: 0...65535,
  ]
}

extension Tensor {
  /// The smallest number of bits, 2 to 8, that holds all elements, which are of int8 or uint8.
  fileprivate var bitsOfIntegers: Int {
    let numbers = doubles
    let (least, greatest) = (numbers.min() ?? 0, numbers.max() ?? 0)
    return (2...8).first { bits in
      let half = Double(1 << (bits - 1))
      return elementType == .int8
        ? least >= -half && greatest < half : greatest < 2 * half
    } ?? 8
  }
}
