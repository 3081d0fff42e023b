import TensorEncoding

/// The lossless encoding of tensors.
enum LosslessForm {
  /// Returns a tensor in its smallest lossless form; the tensor itself if encoding saves nothing,
  /// or if it is already encoded.
  static func encoded(_ tensor: Tensor) throws(WeighbridgeError) -> Tensor {
    guard tensor.encodedElements == nil, tensor.byteCount >= minimumByteCount else { return tensor }
    let contiguous = tensor.contiguous()
    var buffer: [UInt8] = []
    var elements: EncodedElements?
    contiguous.withBytes(&buffer) {
      elements = EncodedElements.lossless($0, tensor.elementType, shape: tensor.shape)
    }
    guard let elements else { return tensor }
    return try Tensor(elements)
  }

  /// The size below which a tensor is not worth encoding.
  private static let minimumByteCount = 64

  /// Returns tensors in their smallest lossless form, encoded by several threads.
  ///
  /// - Parameter report: Called with the number of tensors done so far.
  static func encoded(
    _ tensors: [Tensor], workers: Workers, cancellation: Cancellation?,
    report: @Sendable (Int) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    var result: [Tensor] = []
    for start in stride(from: 0, to: tensors.count, by: workers.count) {
      try cancellation.check()
      let batch = Array(tensors[start..<min(start + workers.count, tensors.count)])
      let results = workers.map(batch.count) { index -> Result<Tensor, WeighbridgeError> in
        do throws(WeighbridgeError) { return .success(try encoded(batch[index])) } catch {
          return .failure(error)
        }
      }
      for tensor in results { result.append(try tensor.get()) }
      report(result.count)
    }
    return result
  }
}
