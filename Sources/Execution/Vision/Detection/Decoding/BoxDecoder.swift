package import Bytes
package import GraphIR

/// Decodes boxes from the outputs of any kind of detector.
package struct BoxDecoder: Sendable {
  /// How boxes are encoded.
  package let detector: DetectorDescription
  private let order: DetectorDescription.Order
  private let inputWidth, inputHeight: Int

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - detector: How boxes are encoded.
  ///   - layout: The order of the image's axes, which also applies to heads without an order of
  ///     their own.
  ///   - inputWidth: The width of the model's image, in pixels.
  ///   - inputHeight: The height of the model's image, in pixels.
  package init(
    _ detector: DetectorDescription, layout: DataLayout, inputWidth: Int, inputHeight: Int
  ) {
    self.detector = detector
    order = detector.order(in: layout)
    self.inputWidth = inputWidth
    self.inputHeight = inputHeight
  }

  /// Returns the boxes of all heads, in the input's unit square, head by head and cell by cell.
  /// Boxes of an infinite size, or infinitely far away, are left out.
  ///
  /// - Parameters:
  ///   - outputs: The outputs by name, each a batch of one.
  ///   - threshold: Classes whose confidence is not above the threshold are left out.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an output is missing or its shape does not
  ///   fit, ``WeighbridgeError/Code/malformed`` when it contains NaN or infinite confidences.
  package func candidates(
    _ outputs: [String: Tensor], above threshold: Double
  ) throws(WeighbridgeError) -> [Candidate] {
    try allCandidates(outputs, above: threshold).filter(\.box.isFinite)
  }

  private func allCandidates(
    _ outputs: [String: Tensor], above threshold: Double
  ) throws(WeighbridgeError) -> [Candidate] {
    let tensors = try detector.outputs.map { (name) throws(WeighbridgeError) in
      guard let tensor = outputs[name] else {
        throw .mismatch("the output \(name), which holds boxes, is missing")
      }
      return tensor
    }
    guard detector.kind != .boxes else {
      return try BoxList(tensors, threshold: threshold).candidates()
    }
    var candidates: [Candidate] = []
    for (index, tensor) in tensors.enumerated() {
      do throws(WeighbridgeError) {
        candidates += try self.candidates(index, tensor, above: threshold)
      } catch {
        throw WeighbridgeError(
          error.code, "the output \(detector.outputs[index]) \(error.reason)")
      }
    }
    return candidates
  }

  /// Returns the boxes of one output.
  private func candidates(
    _ index: Int, _ tensor: Tensor, above threshold: Double
  ) throws(WeighbridgeError) -> [Candidate] {
    switch detector.family {
    case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid):
      try candidates(grid, grid.heads[index], tensor, above: threshold)
    case .detection(let row):
      try RowDecoder(row: row, classCount: detector.classCount, threshold: threshold)
        .candidates(tensor)
    case .boxes: []
    }
  }

  private func candidates(
    _ grid: DetectorDescription.Grid, _ head: DetectorDescription.Head, _ tensor: Tensor,
    above threshold: Double
  ) throws(WeighbridgeError) -> [Candidate] {
    // Core ML's arrays have no batch axis.
    let isSingle = tensor.shape.count == 3
    let numbers = try HeadNumbers(
      isSingle ? tensor.reshaped([1] + tensor.shape) : tensor, order: order,
      boxCount: head.mask.count,
      entryCount: detector.coordinateCount + detector.classCount)
    return try GridDecoder(
      detector: detector, family: grid, inputWidth: inputWidth, inputHeight: inputHeight,
      threshold: threshold
    ).candidates(head, numbers)
  }
}
