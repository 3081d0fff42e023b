import TensorEncoding

/// Tensors in their smallest lossless form.
enum LosslessForm {
  /// Returns a tensor in that form; the tensor itself if that saves nothing, or if it is encoded
  /// already.
  static func of(_ tensor: Tensor) throws(WeighbridgeError) -> Tensor {
    guard tensor.encodedElements == nil, tensor.byteCount >= leastByteCount else { return tensor }
    let plain = tensor.contiguous()
    var buffer: [UInt8] = []
    var elements: EncodedElements?
    plain.withBytes(&buffer) {
      elements = EncodedElements.lossless($0, tensor.elementType, shape: tensor.shape)
    }
    guard let elements else { return tensor }
    return try Tensor(elements)
  }

  /// The size below which a tensor is not worth encoding.
  private static let leastByteCount = 64

  /// Returns tensors in that form, encoded by several threads.
  ///
  /// - Parameter report: Called with the number of tensors done so far.
  static func of(
    _ tensors: [Tensor], workers: Workers, cancellation: Cancellation?,
    report: @Sendable (Int) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    var result: [Tensor] = []
    for start in stride(from: 0, to: tensors.count, by: workers.count) {
      try cancellation.check()
      let part = Array(tensors[start..<min(start + workers.count, tensors.count)])
      let encoded = workers.map(part.count) { index -> Result<Tensor, WeighbridgeError> in
        do throws(WeighbridgeError) { return .success(try of(part[index])) } catch {
          return .failure(error)
        }
      }
      for tensor in encoded { result.append(try tensor.get()) }
      report(result.count)
    }
    return result
  }
}
