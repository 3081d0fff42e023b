import Bytes

extension HostileFile {
  /// Attacks on the tensor table.
  static let table: [HostileFile] = [
    HostileFile(
      "overlapping-tensors", "overlaps",
      story: "Two tensors share bytes; changing one changes both."
    ) {
      $0.addTensor(offset: 0)
      $0.data = RawModel.elements
    },
    HostileFile(
      "hole", "leaves a gap", story: "Bytes between two tensors that belong to none."
    ) {
      $0.addTensor(offset: 128)
      $0.data += [UInt8](repeating: 0, count: 64)
    },
    HostileFile(
      "unaligned", "not aligned", story: "A tensor that vector instructions cannot load."
    ) {
      $0.addTensor(offset: 12)
      $0.data = RawModel.elements + RawModel.elements
    },
    HostileFile(
      "beyond-the-end", "the tensors take 76 bytes, but the file has 12",
      story: "A tensor behind the end of the file."
    ) {
      $0.addTensor()
      $0.data = RawModel.elements
    },
    HostileFile(
      "shape-and-length", "needs 12", story: "Three floats in a tensor of eight bytes."
    ) {
      $0.tensors = [RawModel.tensor("w", byteCount: 8)]
      $0.data.removeLast(4)
    },
    HostileFile(
      "shape-overflow", "too large",
      story: "A shape whose product overflows to the right length."
    ) { $0.setShape([1 << 62, 4, 3]) },
    HostileFile(
      "shape-zero-overflow", "too large",
      story: "A shape without elements whose strides overflow."
    ) { $0.setShape([1 << 62, 1 << 62, 0]) },
    HostileFile(
      "shape-negative", "too large",
      story: "A size of 2^63, negative for who reads it signed."
    ) { $0.setShape([1 << 63, 3]) },
    HostileFile(
      "length-overflow", "needs 12", story: "A length whose sum with the offset overflows."
    ) { $0.tensors = [RawModel.tensor("w", byteCount: (1 << 63) - 1)] },
    HostileFile(
      "digest-short", "15 bytes, expected 16", story: "A digest of fifteen bytes."
    ) { $0.tensors = [RawModel.tensor("w", digest: [UInt8](repeating: 0, count: 15))] },
    HostileFile(
      "element-type-unknown", "element type 99", code: .unsupported,
      story: "A type of a later version."
    ) { $0.tensors = [RawModel.tensor("w", type: 99)] },
    HostileFile(
      "element-type-missing", "element type is missing", story: "A tensor without a type."
    ) { $0.tensors = [RawModel.tensor("w", type: 0)] },
    HostileFile(
      "tensor-twice", "two of the tensors are named w",
      story: "Two tensors of one name; which one is meant depends on the reader."
    ) {
      $0.addTensor()
      $0.tensors[1] = RawModel.tensor("w", offset: 64)
    },
    HostileFile(
      "tensor-unused", "tensor #1 u is used by no value",
      story: "A tensor that nothing refers to: leftover weights, or something hidden."
    ) {
      $0.tensors.append(RawModel.tensor("u", offset: 64))
      $0.data += [UInt8](repeating: 0, count: 52) + RawModel.elements
    },
  ]
}

extension RawModel {
  /// Gives the constant and its tensor a shape.
  mutating func setShape(_ shape: [UInt64]) {
    values[1] =
      Wire.string(1, "w") + Wire.number(2, 3)
      + shape.flatMap { Wire.bytes(3, Wire.number(1, $0)) } + Wire.number(4, 0)
    tensors = [Self.tensor("w", shape: shape)]
  }
}
