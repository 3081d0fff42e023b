import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// How a quotient between two integers is rounded.
enum TFLiteRounding {
  /// To the nearest integer, ties to even: where ties do not occur.
  case toEven
  /// To the nearest integer, ties away from 0, as TFLite's kernels do.
  case awayFromZero
}

/// Quantized tensors: integers with a scale and a zero point. Computations use the numbers that they
/// stand for, and results are rounded to the steps of their tensor, within the range of its type.
extension TFLiteLayer {
  private func quantization(_ tensor: Int) -> TFLiteQuantization? {
    scope.graph.tensors[tensor].quantization
  }

  /// Whether a tensor has integers that stand for other numbers.
  func isQuantized(_ tensor: Int) -> Bool {
    guard let quantization = quantization(tensor),
      let type = try? scope.graph.tensors[tensor].elementType()
    else { return false }
    return type.isInteger && !quantization.scales.isEmpty
  }

  /// Whether the integers of an input and of the first output stand for the same numbers.
  func sharesSteps(_ position: Int) -> Bool {
    guard let input = tensor(position), let output = node.outputs.first else { return true }
    let (first, second) = (quantization(input), quantization(output))
    return !isQuantized(input) && !isQuantized(output)
      || first?.scales == second?.scales && first?.zeroPoints == second?.zeroPoints
  }

  /// Returns an input of an operator that moves elements: as it is stored, unless the output is
  /// quantized in another way.
  mutating func carried(_ position: Int = 0) throws(WeighbridgeError) -> SourceValue {
    sharesSteps(position) ? try input(position) : try real(position)
  }

  /// Returns several inputs of an operator that moves elements, all in the same form.
  mutating func carried(_ positions: [Int]) throws(WeighbridgeError) -> [SourceValue] {
    let isCarried = positions.allSatisfy(sharesSteps)
    var values: [SourceValue] = []
    for position in positions {
      values.append(isCarried ? try input(position) : try real(position))
    }
    return values
  }

  /// Returns the numbers that an input stands for; `nil` when it is absent.
  mutating func optionalReal(_ position: Int) throws(WeighbridgeError) -> SourceValue? {
    tensor(position) == nil ? nil : try real(position)
  }

  /// Returns the numbers that an input stands for.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for integers of 8 bits without a scale.
  mutating func real(_ position: Int = 0) throws(WeighbridgeError) -> SourceValue {
    let value = try input(position)
    guard let tensor = tensor(position) else { return value }
    let type = type(value).elementType
    guard let quantization = quantization(tensor), type.isInteger else {
      guard ![.int8, .uint8].contains(type) else {
        throw malformed(
          "computes with \(scope.names[tensor]), which is \(type.rawValue) without a scale")
      }
      return value
    }
    computesReals = true
    let name = scope.names[tensor]
    switch value {
    case .constant(_, let integers):
      if let known = network.context.constantReals[name] { return known }
      let real = SourceValue.constant(name, try Self.dequantized(integers, quantization))
      // In a loop, other constants differ from step to step.
      if network.context.file.hasElements(scope.graph.tensors[tensor]) {
        network.context.constantReals[name] = real
      }
      return real
    case .computed(let id):
      if let known = network.context.reals[id] { return known }
      let real = try dequantized(value, quantization, role: "input_\(position)")
      network.context.reals[id] = real
      return real
    case .dimensions: return value
    }
  }

  /// Returns constant integers as the numbers that they stand for. Integers of 8 bits stay in the
  /// encoding of weights.
  private static func dequantized(
    _ integers: Tensor, _ quantization: TFLiteQuantization
  ) throws(WeighbridgeError) -> Tensor {
    let axis = quantization.scales.count > 1 ? quantization.axis : nil
    if let axis, integers.shape[axis] != quantization.scales.count {
      throw .malformed(
        "has \(quantization.scales.count) scales for an axis of \(integers.shape[axis]), expected one each"
      )
    }
    if [.int8, .uint8].contains(integers.elementType), integers.count > 1,
      quantization.scales.allSatisfy({ $0 > 0 })
    {
      let parameters = QuantizedWeight.LinearParameters(
        scales: quantization.scales,
        zeroPoints: quantization.zeroPoints.map { Int32(clamping: $0) }, axis: axis)
      let weight = QuantizedWeight(integers, bits: 8, .linear(parameters))
      if let encoded = weight.encoded { return try Tensor(encoded) }
    }
    let inner = axis.map { integers.shape[($0 + 1)...].reduce(1, *) } ?? max(1, integers.count)
    let numbers = integers.wholeNumbers.enumerated().map { index, integer in
      let channel = index / max(1, inner) % quantization.scales.count
      let (scale, zero) = (quantization.scales[channel], quantization.zeroPoints[channel])
      return Double(Float(Double(integer) - Double(zero)) * scale)
    }
    return Tensor(.float32, shape: integers.shape, numbers)
  }

  /// The only scale and zero point of a computed tensor.
  private func steps(
    _ quantization: TFLiteQuantization
  ) throws(WeighbridgeError) -> (scale: Double, zero: Double) {
    guard quantization.scales.count == 1, quantization.scales[0] > 0 else {
      throw unsupported(
        "computes with \(quantization.scales.count) scales or a scale of 0, and a tensor that is "
          + "computed needs one above 0")
    }
    return (Double(quantization.scales[0]), Double(quantization.zeroPoints[0]))
  }

  /// Returns computed integers as the numbers that they stand for.
  private mutating func dequantized(
    _ value: SourceValue, _ quantization: TFLiteQuantization, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let (scale, zero) = try steps(quantization)
    let wide = try apply(Cast(to: .float32), to: value, role: "\(role)/float")
    return try apply(
      Multiply(), to: try offset(wide, by: -zero, role: "\(role)/distance"),
      number(scale, like: wide, "\(role)/scale"), role: "\(role)/real")
  }

  private mutating func offset(
    _ value: SourceValue, by number: Double, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    number == 0
      ? value
      : try apply(Add(), to: value, self.number(number, like: value, "\(role)/by"), role: role)
  }

  /// Quantizes numbers as a tensor of the file is, and records the numbers that its integers stand
  /// for.
  mutating func quantized(
    _ value: SourceValue, _ tensor: Int, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    guard type(value).elementType.isFloat, let quantization = quantization(tensor) else {
      return value
    }
    let elementType = try scope.graph.tensors[tensor].elementType()
    let prefix = role.isEmpty ? "steps" : "\(role)/steps"
    let (scale, zero) = try steps(quantization)
    let size = number(scale, like: value, "\(prefix)/scale")
    let quotient = try apply(BinaryMath(.divide), to: value, size, role: prefix)
    let (minimum, maximum) = elementType.integerBounds
    let bounded = try apply(
      Clip(minimum: minimum - zero, maximum: maximum - zero),
      to: try rounded(quotient, prefix), role: "\(prefix)/bounded")
    let integers = try apply(
      Cast(to: elementType), to: try offset(bounded, by: zero, role: "\(prefix)/offset"),
      role: role)
    if case .computed(let id) = integers {
      network.context.reals[id] = try apply(
        Multiply(), to: bounded, size, role: "\(prefix)/real")
    }
    return integers
  }

  private mutating func rounded(
    _ value: SourceValue, _ prefix: String
  ) throws(WeighbridgeError) -> SourceValue {
    rounding == .awayFromZero
      ? try roundedAway(value, prefix)
      : try apply(UnaryMath(.round), to: value, role: "\(prefix)/round")
  }

  /// Rounds to the nearest integer, ties away from 0.
  mutating func roundedAway(
    _ value: SourceValue, _ prefix: String
  ) throws(WeighbridgeError) -> SourceValue {
    let size = try apply(UnaryMath(.absolute), to: value, role: "\(prefix)/size")
    let above = try offset(size, by: 0.5, role: "\(prefix)/above")
    let whole = try apply(UnaryMath(.floor), to: above, role: "\(prefix)/whole")
    let sign = try apply(UnaryMath(.sign), to: value, role: "\(prefix)/sign")
    return try apply(Multiply(), to: sign, whole, role: "\(prefix)/round")
  }
}
