import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Quantized tensors: integers with a scale and a zero point. Computations use the floating-point
/// numbers that they stand for, rounded to multiples of the scale where the file quantizes.
enum ONNXQuantization: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "DynamicQuantizeLinear": { (layer) throws(WeighbridgeError) in
      try layer.dynamicallyQuantized(try layer.input())
    },
    "DequantizeLinear": { (layer) throws(WeighbridgeError) in
      let size = try layer.integer("block_size", default: 0)
      let given = QuantizationParameters(
        try layer.input(1), try layer.optional(2), axis: try layer.integer("axis", default: 1))
      let number = try layer.integer("output_dtype", default: 0)
      let value = try layer.input(0)
      if [0, Int(ElementType.float32.onnxNumber)].contains(number),
        let weight = try layer.quantizedWeight(value, given, blockSize: size)
      {
        return [weight]
      }
      let parameters = try layer.spread(given, over: value, blockSize: size)
      if number == 0 { return [try layer.dequantized(value, parameters, role: "")] }
      let wide = try layer.widelyDequantized(value, parameters, role: "product")
      return [try layer.cast(wide, toTypeNumbered: number)]
    },
    "ConvInteger": { (layer) throws(WeighbridgeError) in
      let input = try layer.distances(0, zeroPoint: 2, axis: 0, .float64)
      let kernel = try layer.distances(1, zeroPoint: 3, axis: 0, .float64)
      let sum = try layer.convolution(input, kernel, bias: nil, role: "sum")
      return [try layer.apply(Cast(to: .int32), to: sum)]
    },
    "MatMulInteger": { (layer) throws(WeighbridgeError) in
      let first = try layer.distances(0, zeroPoint: 2, axis: -2, .int32)
      let second = try layer.distances(1, zeroPoint: 3, axis: -1, .int32)
      let product = MatMul(transposeA: false, transposeB: false)
      return try layer.apply(product, layer.aligned([first, second]))
    },
    "QLinearConv": { (layer) throws(WeighbridgeError) in
      let input = try layer.dequantized(try layer.input(0), try layer.parameters(1), role: "input")
      let kernel = try layer.dequantized(
        try layer.input(3), try layer.parameters(4, axis: 0), role: "kernel")
      var bias = try layer.optional(8)
      if let sums = bias {
        let scale = try layer.apply(
          Multiply(), layer.aligned([try layer.input(1), try layer.input(4)]), role: "bias/scale")
        bias = try layer.dequantized(
          sums, QuantizationParameters(scale[0], nil, axis: 0), role: "bias")
      }
      let sum = try layer.convolution(input, kernel, bias: bias, role: "convolution")
      return [try layer.quantized(sum, try layer.parameters(6), role: "")]
    },
    "QLinearMatMul": { (layer) throws(WeighbridgeError) in
      let first = try layer.dequantized(
        try layer.input(0), try layer.parameters(1, axis: -2), role: "first")
      let second = try layer.dequantized(
        try layer.input(3), try layer.parameters(4, axis: -1), role: "second")
      let product = try layer.matrixProduct(first, second, role: "product")
      return [try layer.quantized(product, try layer.parameters(6), role: "")]
    },
    "QuantizeLinear": { (layer) throws(WeighbridgeError) in
      let size = try layer.integer("block_size", default: 0)
      let parameters = QuantizationParameters(
        try layer.input(1), try layer.optional(2), narrowType: layer.narrowType(2),
        axis: try layer.integer("axis", default: 1))
      let value = try layer.input(0)
      return [
        try layer.quantized(
          value, try layer.spread(parameters, over: value, blockSize: size), role: "")
      ]
    },
  ]
}

/// How integers are mapped to floating-point numbers: the difference from the zero point, times the
/// scale.
struct QuantizationParameters {
  /// One number, or one for each index of an axis.
  let scale: ONNXValue
  /// The zero point, of the scale's shape; `nil` for 0.
  let zeroPoint: ONNXValue?
  /// The type of the zero point if it is narrower than those of the graph.
  let narrowType: ONNXNarrowType?
  let axis: Int

  init(
    _ scale: ONNXValue, _ zeroPoint: ONNXValue?, narrowType: ONNXNarrowType? = nil, axis: Int
  ) {
    self.scale = scale
    self.zeroPoint = zeroPoint
    self.narrowType = narrowType
    self.axis = axis
  }

  /// The zero point, unless it is known to be 0.
  var nonZeroPoint: ONNXValue? {
    zeroPoint?.tensor?.doubles.allSatisfy({ $0 == 0 }) == true ? nil : zeroPoint
  }
}

extension ONNXLayer {
  /// Adds the differences between an input's integers and its zero point, in a type that holds their products.
  fileprivate mutating func distances(
    _ position: Int, zeroPoint: Int, axis: Int, _ type: ElementType
  ) throws(WeighbridgeError) -> ONNXValue {
    let value = try input(position)
    let role = "operand_\(position)"
    let numbers = try apply(Cast(to: type), to: value, role: "\(role)/cast")
    guard let zeroPoint = try optional(zeroPoint) else { return numbers }
    let parameters = QuantizationParameters(zeroPoint, zeroPoint, axis: axis)
    guard parameters.nonZeroPoint != nil else { return numbers }
    let zero = try broadcastable(
      zeroPoint, parameters, rank: self.type(value).rank, type: type, role: "\(role)/zero")
    return try apply(Subtract(), to: numbers, zero, role: role)
  }

  /// Adds the integers, the scale and the zero point of a value that is quantized by its own range.
  fileprivate mutating func dynamicallyQuantized(
    _ value: ONNXValue
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let axes = Array(0..<type(value).rank)
    var ends: [ONNXValue] = []
    for function in [Reduce.Function.minimum, .maximum] {
      let end = try apply(
        Reduce(function, axes: axes, keepDims: false), to: value, role: function.rawValue)
      let zero = number(0, like: end, "zero")
      ends.append(
        function == .minimum
          ? try apply(Minimum(), to: end, zero, role: "least")
          : try apply(Maximum(), to: end, zero, role: "greatest"))
    }
    let span = try apply(Subtract(), to: ends[1], ends[0], role: "span")
    let scale = try apply(
      BinaryMath(.divide), to: span, number(255, like: span, "steps"), role: "scale")
    let clip = Clip(minimum: 0, maximum: 255)
    let start = try apply(
      UnaryMath(.negative), to: try apply(BinaryMath(.divide), to: ends[0], scale, role: "start"),
      role: "distance")
    let zeroPoint = try apply(
      UnaryMath(.round), to: try apply(clip, to: start, role: "saturated"), role: "rounded")
    let values = try aligned([value, scale, zeroPoint])
    let quotient = try apply(BinaryMath(.divide), to: values[0], values[1], role: "quotient")
    let rounded = try apply(UnaryMath(.round), to: quotient, role: "round")
    let sum = try apply(Add(), to: rounded, values[2], role: "sum")
    let integers = try apply(
      Cast(to: .uint8), to: try apply(clip, to: sum, role: "range"), role: "")
    return [
      integers, scale, try apply(Cast(to: .uint8), to: zeroPoint, role: "zero_point"),
    ]
  }

  /// Returns a scale and a zero point for each element instead of each block along an axis.
  fileprivate mutating func spread(
    _ parameters: QuantizationParameters, over value: ONNXValue, blockSize: Int
  ) throws(WeighbridgeError) -> QuantizationParameters {
    guard blockSize != 0 else { return parameters }
    let shape = type(value).shape
    let axis = try self.axis(parameters.axis, rank: shape.count)
    guard let size = shape[axis].value, blockSize > 0, blockSize <= 1 << 24,
      type(parameters.scale).rank == shape.count,
      type(parameters.scale).shape[axis] == .fixed((size + blockSize - 1) / blockSize)
    else {
      throw malformed(
        "has block_size=\(blockSize) along axis \(axis) of \(type(value)) and scales "
          + "\(type(parameters.scale)), and one for each block is expected")
    }
    let spread = try [parameters.scale, parameters.zeroPoint].enumerated().map {
      (position, value) throws(WeighbridgeError) -> ONNXValue? in
      guard let value else { return nil }
      let role = ["scales", "zero_points"][position]
      let repeated = try apply(Repeat(axis: axis, count: blockSize), to: value, role: "\(role)/all")
      let range = Slice.Range(axis: axis, start: 0, stop: size, step: 1)
      return try apply(Slice([range]), to: repeated, role: role)
    }
    return QuantizationParameters(
      spread[0] ?? parameters.scale, spread[1], narrowType: parameters.narrowType, axis: axis)
  }

  /// Returns a weight that stays quantized, with the integers of the file; `nil` for a value that
  /// is not a weight, or is quantized in a way that cannot be kept.
  fileprivate mutating func quantizedWeight(
    _ value: ONNXValue, _ parameters: QuantizationParameters, blockSize: Int
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard case .constant(let name, let integers) = value, let scale = parameters.scale.tensor,
      [.int8, .uint8].contains(integers.elementType), integers.count > 1,
      scale.elementType == .float32, scale.count > 0,
      parameters.zeroPoint == nil || parameters.zeroPoint?.tensor != nil
    else { return nil }
    let zeroPoints = parameters.zeroPoint?.tensor?.doubles.map { Int32($0) } ?? []
    let rank = integers.shape.count
    let dequantization: QuantizedWeight.Dequantization
    if blockSize > 0 {
      var blockShape = [Int](repeating: 1, count: rank)
      let axis = try self.axis(parameters.axis, rank: rank)
      blockShape[axis] = min(blockSize, integers.shape[axis])
      let blockCounts = zip(integers.shape, blockShape).map { ($0 + $1 - 1) / $1 }
      guard scale.shape == blockCounts, zeroPoints.allSatisfy({ $0 == 0 }) else { return nil }
      dequantization = .blocks(shape: blockShape, scales: scale)
    } else {
      guard scale.shape.count <= 1, zeroPoints.isEmpty || zeroPoints.count == scale.count else {
        return nil
      }
      let axis = scale.count == 1 ? nil : try self.axis(parameters.axis, rank: rank)
      if let axis, integers.shape[axis] != scale.count { return nil }
      dequantization = .linear(
        .init(scales: scale.doubles.map { Float($0) }, zeroPoints: zeroPoints, axis: axis))
    }
    let weight = QuantizedWeight(integers, bits: integers.bitsOfIntegers, dequantization)
    guard let encoded = weight.encoded else { return nil }
    let suffix = "/quantized"
    let weightName = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    return .constant(weightName, try Tensor(encoded))
  }

  /// Reads the scale at an input position and the zero point at the next one.
  func parameters(
    _ position: Int, axis: Int = 0
  ) throws(WeighbridgeError) -> QuantizationParameters {
    QuantizationParameters(try input(position), try optional(position + 1), axis: axis)
  }

  /// Returns a scale or zero point, shaped to broadcast along its axis of a value.
  private mutating func broadcastable(
    _ number: ONNXValue, _ parameters: QuantizationParameters, rank: Int, type: ElementType,
    role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if self.type(number).rank == rank, rank > 1 {  // one for each element
      return self.type(number).elementType == type
        ? number : try apply(Cast(to: type), to: number, role: role)
    }
    guard let given = self.type(number).fixedShape, given.count <= 1 else {
      throw unsupported(
        "takes a scale or zero point \(self.type(number)), and only a number or a vector of known size can be read"
      )
    }
    var shape = [Int](repeating: 1, count: rank)
    if let count = given.first, count != 1 {
      shape[try axis(parameters.axis, rank: rank)] = count
    }
    let shaped: ONNXValue
    if let tensor = number.tensor {
      shaped = newConstant(tensor.reshaped(shape), role)
    } else {
      shaped = try apply(ReshapeAxes(shape.map { .fixed($0) }), to: number, role: "\(role)_axes")
    }
    return self.type(number).elementType == type
      ? shaped : try apply(Cast(to: type), to: shaped, role: role)
  }

  /// Converts quantized integers to the floating-point numbers that they stand for, of the scale's
  /// type.
  mutating func dequantized(
    _ value: ONNXValue, _ parameters: QuantizationParameters, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if let weight = try quantizedWeight(value, parameters, blockSize: 0) { return weight }
    let type = type(parameters.scale).elementType
    guard [.float16, .bfloat16].contains(type) else {
      return try widelyDequantized(value, parameters, role: role)
    }
    let prefix = role.isEmpty ? "" : "\(role)/"
    let wide = try widelyDequantized(value, parameters, role: "\(prefix)product")
    return try apply(Cast(to: type), to: wide, role: role)
  }

  /// Converts quantized integers to the floating-point numbers that they stand for: float32, or
  /// float64 if the scale is. A type of 16 bits could not hold all integers of 16 and 32 bits.
  fileprivate mutating func widelyDequantized(
    _ value: ONNXValue, _ parameters: QuantizationParameters, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let floatType = type(parameters.scale).elementType == .float64 ? ElementType.float64 : .float32
    let rank = type(value).rank
    let prefix = role.isEmpty ? "" : "\(role)/"
    var difference = try apply(Cast(to: floatType), to: value, role: "\(prefix)cast")
    if let zeroPoint = parameters.nonZeroPoint {
      let zeroPoint = try broadcastable(
        zeroPoint, parameters, rank: rank, type: floatType, role: "\(prefix)zero")
      difference = try apply(Subtract(), to: difference, zeroPoint, role: "\(prefix)distance")
    }
    let scale = try broadcastable(
      parameters.scale, parameters, rank: rank, type: floatType, role: "\(prefix)scale")
    return try apply(Multiply(), to: difference, scale, role: role)
  }

  /// Quantizes floating-point numbers, rounding to the nearest integer, or number of a narrow
  /// floating-point type, and ties to even.
  mutating func quantized(
    _ value: ONNXValue, _ parameters: QuantizationParameters, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let saturates = try flag("saturate", default: true)
    let (storedType, range) = try quantizedType(parameters)
    let floatType = try quotientType(value, parameters)
    let rank = type(value).rank
    let scale = try broadcastable(
      parameters.scale, parameters, rank: rank, type: floatType, role: "scale")
    let dividend =
      type(value).elementType == floatType
      ? value : try apply(Cast(to: floatType), to: value, role: "float")
    let quotient = try apply(BinaryMath(.divide), to: dividend, scale, role: "steps")
    let narrowFloat = outputNarrowTypes?.first??.format
    var rounded =
      narrowFloat == nil ? try apply(UnaryMath(.round), to: quotient, role: "round") : quotient
    if let zeroPoint = parameters.nonZeroPoint {
      // A type of 16 bits could not hold all sums.
      let sumType = floatType == .float64 ? floatType : .float32
      if floatType != sumType { rounded = try apply(Cast(to: sumType), to: rounded, role: "sum") }
      let zeroPoint = try broadcastable(
        zeroPoint, parameters, rank: rank, type: sumType, role: "zero")
      rounded = try apply(Add(), to: rounded, zeroPoint, role: "quantized")
    }
    if let narrowFloat {
      return try self.rounded(rounded, to: narrowFloat, saturates: saturates)
    }
    let clip = Clip(minimum: range.lowerBound, maximum: range.upperBound)
    let integers = try apply(
      Cast(to: storedType), to: try apply(clip, to: rounded, role: "range"), role: role)
    if case .computed(let id) = integers, parameters.areReversible(storedType) {
      network.context.quantizations[id] = parameters
    }
    return integers
  }

  /// The type of a quantized value, and its range.
  private mutating func quantizedType(
    _ parameters: QuantizationParameters
  ) throws(WeighbridgeError) -> (ElementType, ClosedRange<Double>) {
    let number = try integer("output_dtype", default: 0)
    let zeroPointType = parameters.zeroPoint.map {
      parameters.narrowType?.rawValue ?? Int(type($0).elementType.onnxNumber)
    }
    if let zeroPointType, ![0, zeroPointType].contains(number) {
      throw malformed(
        "has an output_dtype of \(ElementType.onnxName(number)), and its zero point is of "
          + ElementType.onnxName(zeroPointType))
    }
    let outputType = zeroPointType ?? (number == 0 ? Int(ElementType.uint8.onnxNumber) : number)
    if let type = ONNXNarrowType(rawValue: outputType) {
      outputNarrowTypes = [type]
      return (type.elementType, type.range)
    }
    guard let type = ElementType(onnxNumber: outputType), let range = Self.ranges[type] else {
      throw unsupported(
        "quantizes to \(ElementType.onnxName(outputType)), and only quantization to integers of 2 to "
          + "16 bits and floating-point numbers of 4 and 8 bits can be read")
    }
    return (type, range)
  }

  /// The type in which a value is divided by the scale: that of the attribute, or else the wider one
  /// of both.
  private mutating func quotientType(
    _ value: ONNXValue, _ parameters: QuantizationParameters
  ) throws(WeighbridgeError) -> ElementType {
    let number = try integer("precision", default: 0)
    let types = [type(value).elementType, type(parameters.scale).elementType]
    guard number != 0 else {
      let floats = Set(types.filter(\.isFloat))
      return floats.count == 1 ? floats.first ?? .float32 : .float32
    }
    guard let type = ElementType(onnxNumber: number), type.isFloat else {
      throw unsupported(
        "has precision=\(ElementType.onnxName(number)), and only float16, bfloat16, float32 and float64 can be "
          + "read")
    }
    return type
  }

  /// The ranges of the integer types.
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
