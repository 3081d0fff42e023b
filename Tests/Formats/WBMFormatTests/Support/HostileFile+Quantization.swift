import Bytes

/// Attacks on which nodes are computed with 8-bit integers.
extension HostileFile {
  static let quantizations: [HostileFile] = [
    HostileFile(
      "quantization-empty", "has no node", story: "Integers that no node is computed by."
    ) { $0.setQuantization([]) },
    HostileFile(
      "quantization-unknown", "no node m", story: "Integers for a node which is not there."
    ) { $0.setQuantization([RawModel.quantized("m")]) },
    HostileFile(
      "quantization-twice", "two of the quantized nodes are named n",
      story: "A node with two scales."
    ) { $0.setQuantization([RawModel.quantized("n"), RawModel.quantized("n", scale: 2)]) },
    HostileFile(
      "quantization-scale-zero", "node n has the scale 0.0",
      story: "A scale of 0, by which numbers would be divided."
    ) { $0.setQuantization([RawModel.quantized("n", scale: 0)]) },
    HostileFile(
      "quantization-scale-negative", "node n has the scale -0.5", story: "A scale below 0."
    ) { $0.setQuantization([RawModel.quantized("n", scale: -0.5)]) },
    HostileFile(
      "quantization-scale-nan", "node n has the scale nan", story: "A scale that is not a number."
    ) { $0.setQuantization([RawModel.quantized("n", scale: .nan)]) },
    HostileFile(
      "quantization-scale-infinite", "node n has the scale inf", story: "An infinite scale."
    ) { $0.setQuantization([RawModel.quantized("n", scale: .infinity)]) },
    HostileFile(
      "quantization-scale-huge", "node n has the scale 2.5521177519070385e+38",
      story: "A scale whose reciprocal is no normal number."
    ) { $0.setQuantization([RawModel.quantized("n", scale: 0x1.8p127)]) },
    HostileFile(
      "quantization-scale-wide", "node n has the scale 0.1",
      story: "A scale with more digits than the arithmetic has."
    ) { $0.setQuantization([RawModel.quantized("n", scale: 0.1)]) },
    HostileFile(
      "quantization-zero-point", "the zero point 256",
      story: "A zero point beyond the 8-bit integers."
    ) { $0.setQuantization([RawModel.quantized("n", zeroPoint: 256)]) },
    HostileFile(
      "quantization-input", "node n has no input 7",
      story: "Integers for an input which is not there."
    ) { $0.setQuantization([RawModel.quantized("n") + Wire.number(5, 7)]) },
    HostileFile(
      "quantization-method-missing", "method of node n is missing",
      story: "A scale that nobody knows how it was chosen."
    ) { $0.setQuantization([RawModel.quantized("n", method: 0)]) },
    HostileFile(
      "quantization-method-unknown", "method of node n 9", code: .unsupported,
      story: "A method of a later version."
    ) { $0.setQuantization([RawModel.quantized("n", method: 9)]) },
    HostileFile(
      "quantization-bfloat16-unknown", "no node m", story: "bfloat16 for a node which is not there."
    ) { $0.rest = Wire.bytes(8, Wire.bytes(2, Wire.string(1, "m"))) },
    HostileFile(
      "quantization-bfloat16-input", "node n has no input 7",
      story: "bfloat16 for an input which is not there."
    ) { $0.rest = Wire.bytes(8, Wire.bytes(2, Wire.string(1, "n") + Wire.number(2, 7))) },
    HostileFile(
      "quantization-bfloat16-and-integers", "two of the quantized nodes are named n",
      story: "A node with integers and with bfloat16."
    ) {
      $0.rest = Wire.bytes(
        8, Wire.bytes(1, RawModel.quantized("n")) + Wire.bytes(2, Wire.string(1, "n")))
    },
    HostileFile(
      "quantization-field-unknown", "field quantization holds field 3", code: .unsupported,
      story: "Something a later version says of integers, which would change the results."
    ) { $0.rest = Wire.bytes(8, Wire.bytes(1, RawModel.quantized("n")) + Wire.number(3, 1)) },
  ]
}

extension RawModel {
  /// A quantized node.
  static func quantized(
    _ name: String, scale: Double = 0.5, zeroPoint: UInt64 = 3, method: UInt64 = 1
  ) -> [UInt8] {
    let bits = (0..<8).map { UInt8(truncatingIfNeeded: scale.bitPattern >> (8 * $0)) }
    return Wire.string(1, name) + [0x11] + bits + Wire.number(3, zeroPoint)
      + Wire.number(4, method)
  }

  /// Adds a quantization.
  fileprivate mutating func setQuantization(_ nodes: [[UInt8]]) {
    rest = Wire.bytes(8, nodes.flatMap { Wire.bytes(1, $0) })
  }
}
