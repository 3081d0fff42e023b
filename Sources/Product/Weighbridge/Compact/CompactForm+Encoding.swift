import Compaction
import TensorEncoding

extension Compaction.Weight {
  /// Returns the weight as it is stored.
  func encoded() throws(WeighbridgeError) -> Tensor {
    switch form {
    case .integers(let matrix):
      return try stored(.rans, RANSIntegers.encode(matrix.content, shape: tensor.shape))
    case .linear(let matrix):
      let linear = LinearIntegers(
        bits: matrix.bits, isSigned: true, blockShape: matrix.blockShape)
      let content = LinearIntegers.Content(integers: matrix.integers, scales: matrix.scales)
      return try stored(.linear(linear), linear.encode(content, shape: tensor.shape))
    case .lookup(let matrix):
      let lookup = LookupTables(bits: matrix.bits, blockShape: tensor.shape)
      let content = LookupTables.Content(positions: matrix.positions, tables: matrix.table)
      return try stored(.lookup(lookup), lookup.encode(content, shape: tensor.shape))
    case .half(let type):
      let half = type == .float16 ? HalfPrecision.float16 : .bfloat16
      return try stored(.half(half), half.encode(tensor.doubles.map { Float($0) }))
    }
  }

  private func stored(
    _ encoding: TensorEncoding, _ bytes: [UInt8]
  ) throws(WeighbridgeError) -> Tensor {
    try Tensor(EncodedElements(encoding, tensor.elementType, shape: tensor.shape, bytes: bytes))
  }
}
