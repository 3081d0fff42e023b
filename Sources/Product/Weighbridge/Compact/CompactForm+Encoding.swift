import Bytes
import Compaction
import GraphIR
import TensorEncoding

extension Compaction.Weight {
  /// The weight as it is stored.
  func encoded() throws(WeighbridgeError) -> Tensor {
    switch form {
    case .integers(let matrix):
      let content = RANSIntegers.Content(integers: matrix.integers, steps: matrix.steps)
      let bytes = RANSIntegers.encode(content, shape: tensor.shape)
      return try Tensor(
        EncodedElements(.rans, tensor.elementType, shape: tensor.shape, bytes: bytes))
    }
  }
}
