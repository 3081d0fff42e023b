import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// How a layer quantized by Keras 3 stores its weights and whether it quantizes its input.
///
/// A weight consists of integers of 8 or 4 bits and the scales by which it was multiplied, or, in
/// groups, of integers, scales and zero points. The input may be quantized too, with a scale for
/// each index of the axes that are not contracted.
struct KerasQuantization: Sendable {
  /// Whether the weights have 4 bits instead of 8.
  let isInt4: Bool
  /// The number of consecutive indices that share a scale; `nil` when there are no groups.
  let groupSize: Int?
  /// The quantizer of the input; `nil` when it is not quantized.
  let input: InputQuantizer?

  /// Computes round(x · scale), with scale = largest / (max |x| + epsilon).
  struct InputQuantizer: Sendable {
    let largest: Double
    let epsilon: Double
  }
}

extension KerasLayer {
  /// Takes the quantization that the setting `dtype` names; `nil` when the layer is not quantized.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for any quantization other than to `int8` or,
  ///   since Keras 3.14, to `int4`.
  mutating func takeQuantization() throws(WeighbridgeError) -> KerasQuantization? {
    guard let policy = KerasTypePolicy.quantized(unreadSettings["dtype"]) else { return nil }
    ignore("dtype")
    let mode = policy.mode.split(separator: "/")
    let isInt4 = mode.first == "int4" && mode.count == 2 && version >= KerasVersion(3, 14)
    guard isInt4 || policy.mode == "int8" else {
      throw .unsupported(
        "is quantized to \(policy.mode) by Keras \(version); int8 is supported, and int4 of 3.14 or later"
      )
    }
    let groupSize = isInt4 ? Int(mode[1]).flatMap { $0 == -1 ? nil : $0 } : nil
    guard let config = take("quantization_config") else {
      return KerasQuantization(
        isInt4: isInt4, groupSize: groupSize,
        input: isInt4 ? nil : .init(largest: 127, epsilon: 1e-7))
    }
    guard let settings = config.object?["config"]?.object else {
      throw unexpected("quantization_config", config, "an object")
    }
    let quantizer = settings["activation_quantizer"] ?? .null
    return KerasQuantization(
      isInt4: isInt4, groupSize: groupSize,
      input: quantizer == .null ? nil : try inputQuantizer(quantizer))
  }

  private func inputQuantizer(
    _ written: JSONValue
  ) throws(WeighbridgeError) -> KerasQuantization.InputQuantizer {
    let form = written.object
    let settings = form?["config"]?.object ?? [:]
    let range = settings["value_range"]?.array?.compactMap(\.real) ?? [-127, 127]
    let type = settings["output_dtype"] ?? "int8"
    guard form?["class_name"] == "AbsMaxQuantizer", range.count == 2, range[0] == -range[1],
      range[1] >= 1, range[1] <= 127, type == "int8"
    else {
      throw unexpected("activation_quantizer", written, "an AbsMaxQuantizer from -127 to 127")
    }
    return .init(largest: range[1], epsilon: settings["epsilon"]?.real ?? 1e-7)
  }

  /// Sorts the weights of a quantized layer into the order of `.keras` files; HDF5 files of models
  /// have the trainable ones first.
  ///
  /// - Parameter name: The name of the quantized weight.
  mutating func orderQuantizedWeights(
    _ name: String, _ quantization: KerasQuantization, hasBias: Bool
  ) throws(WeighbridgeError) {
    guard placeholderLimit == nil, remainingWeights.contains(where: { $0.name == name })
    else { return }
    let names = [name] + (hasBias ? ["bias"] : []) + ["\(name)_scale"]
    let groups = quantization.groupSize == nil ? [] : ["\(name)_zero", "g_idx"]
    try moveToFront(names + groups, called: { $0 }, where: { $2 == $0 })
  }

  /// Quantizes the input of a quantized product.
  ///
  /// - Parameter axes: The contracted axes, in ascending order.
  /// - Returns: The integers, and the scales by which the input was multiplied, with a size of 1
  ///   along these axes.
  mutating func quantize(
    _ input: ValueID, along axes: [Int], _ quantizer: KerasQuantization.InputQuantizer
  ) throws(WeighbridgeError) -> (numbers: ValueID, scale: ValueID) {
    let magnitudes = try add(UnaryMath(.absolute), [input], role: "sizes")
    let largest = try add(
      Reduce(.maximum, axes: axes, keepDims: true), magnitudes, role: "largest_magnitude")
    // Keras first converts the Python number to the tensor's type.
    let epsilon = Double(Float(quantizer.epsilon))
    let shifted = try add(
      Rescaling(scale: [1], offset: [epsilon]), largest, role: "largest_magnitude_epsilon")
    let largestInteger = try number("largest_number", quantizer.largest, like: input)
    let scale = try add(BinaryMath(.divide), [largestInteger] + shifted, role: "input_scale")
    let scaled = try add(Multiply(), [input] + scale, role: "scaled_input")
    let rounded = try add(UnaryMath(.round), scaled, role: "rounded_input")
    let numbers = try add(
      Clip(minimum: -quantizer.largest, maximum: quantizer.largest), rounded, role: "input_numbers")
    return (numbers[0], scale[0])
  }

  /// Dequantizes a product: divides it by the scales and adds a bias of the product's rank.
  mutating func descale(
    _ product: ValueID, scales: [ValueID], bias: ValueID?
  ) throws(WeighbridgeError) -> ValueID {
    var output = [product]
    if let first = scales.first {
      let scale = scales.count == 1 ? [first] : try add(Multiply(), scales, role: "scale")
      output = try add(
        BinaryMath(.divide), [product] + scale, role: bias == nil ? "" : "descaled")
    }
    guard let bias else { return output[0] }
    return try add(Add(), output + [bias])[0]
  }
}
