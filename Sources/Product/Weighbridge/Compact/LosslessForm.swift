import TensorEncoding

/// Tensors in the smallest form from which every bit comes back.
enum LosslessForm {
  /// A tensor in that form; itself where that saves nothing, or where it is encoded already.
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

  /// What is smaller than its own description is left alone.
  private static let leastByteCount = 64

  /// Tensors in that form, by several threads.
  ///
  /// - Parameter report: Called when some tensors are done, with how many.
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
