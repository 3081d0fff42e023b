import Bytes

extension HostileFile {
  /// Attacks on recorded inputs and outputs.
  static let references: [HostileFile] = [
    HostileFile(
      "reference-missing", "tensor #7, but there are 2",
      story: "A reference output whose array is not there."
    ) { $0.setReferences(outputs: RawModel.named(3, "y", 7)) },
    HostileFile(
      "reference-unknown", "no output z", story: "A reference for an output which is not there."
    ) { $0.setReferences(outputs: RawModel.named(3, "z", 1)) },
    HostileFile(
      "reference-without-input", "arrays for 0 of 1 input",
      story: "Reference outputs without the inputs they belong to."
    ) { $0.setReferences(inputs: []) },
    HostileFile(
      "reference-without-output", "no array for any output",
      story: "Reference inputs without anything they give."
    ) { $0.setReferences(outputs: []) },
    HostileFile(
      "reference-shape", "which does not fit", story: "A reference input of another shape."
    ) {
      $0.setReferences()
      $0.tensors[1] = RawModel.tensor("r", shape: [1, 3], offset: 64)
    },
    HostileFile(
      "reference-type", "its array int32", story: "A reference input of another element type."
    ) {
      $0.setReferences()
      $0.tensors[1] = RawModel.tensor("r", type: 7, offset: 64)
    },
    HostileFile(
      "reference-symbol", "which does not fit",
      story: "A symbol that stands for 3 in the input and for another size in the output."
    ) {
      let symbol = Wire.bytes(3, Wire.string(2, "n"))
      $0.values[0] = Wire.string(1, "x") + Wire.number(2, 3) + symbol
      $0.values[2] = Wire.string(1, "y") + Wire.number(2, 3) + symbol
      $0.setReferences(outputs: RawModel.named(3, "y", 2))
      $0.tensors.append(RawModel.tensor("s", type: 4, shape: [0], offset: 128, byteCount: 0))
      $0.data += [UInt8](repeating: 0, count: 52)
    },
    HostileFile(
      "tolerance-missing", "no tolerance",
      story: "Reference outputs of which nobody says how exactly they must be met."
    ) { $0.setReferences(tolerance: nil) },
    HostileFile(
      "tolerance-source-missing", "source of a tolerance is missing",
      story: "A tolerance that nobody decided."
    ) { $0.setReferences(tolerance: RawModel.tolerance(1e-5, source: 0)) },
    HostileFile(
      "tolerance-negative", "the tolerance is -1e-05", story: "A tolerance below 0."
    ) { $0.setReferences(tolerance: RawModel.tolerance(-1e-5)) },
    HostileFile(
      "tolerance-nan", "the tolerance is nan",
      story: "A tolerance that is not a number, within which everything or nothing is."
    ) { $0.setReferences(tolerance: RawModel.tolerance(.nan)) },
    HostileFile(
      "tolerance-infinite", "the tolerance is inf", story: "A tolerance within which everything is."
    ) { $0.setReferences(tolerance: RawModel.tolerance(.infinity)) },
  ]
}

extension RawModel {
  /// An array of a reference set.
  static func named(_ field: UInt64, _ name: String, _ tensor: UInt64) -> [UInt8] {
    Wire.bytes(field, Wire.string(1, name) + Wire.number(2, tensor))
  }

  /// The field of a reference set with a tolerance.
  static func tolerance(_ absolute: Double, source: UInt64 = 1) -> [UInt8] {
    let bits = (0..<8).map { UInt8(truncatingIfNeeded: absolute.bitPattern >> (8 * $0)) }
    return Wire.bytes(5, [0x09] + bits + Wire.number(3, source))
  }

  /// Adds a reference set and the tensor that it refers to.
  mutating func setReferences(
    inputs: [UInt8] = RawModel.named(2, "x", 1), outputs: [UInt8] = RawModel.named(3, "y", 1),
    tolerance: [UInt8]? = RawModel.tolerance(1e-5)
  ) {
    tensors.append(Self.tensor("r", offset: 64))
    data += [UInt8](repeating: 0, count: 52) + Self.elements
    references = [Wire.string(1, "test") + inputs + outputs + (tolerance ?? [])]
  }
}
