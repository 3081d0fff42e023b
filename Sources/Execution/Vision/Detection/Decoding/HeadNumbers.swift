import Bytes
import GraphIR

/// The output of a head with a grid, indexed by cell, box and entry whatever its memory order.
struct HeadNumbers {
  /// The number of cells along each axis.
  let width, height: Int
  private let numbers: [Double]
  private let boxStride, entryStride, cellStride: Int

  /// - Parameters:
  ///   - tensor: The output, with a batch of one.
  ///   - order: The order of its elements.
  ///   - boxCount: The number of boxes per cell.
  ///   - entryCount: The number of elements per box.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the shape does not fit.
  init(
    _ tensor: Tensor, order: DetectorDescription.Order, boxCount: Int, entryCount: Int
  ) throws(WeighbridgeError) {
    let channelAxis = order == .channelsLast ? 3 : 1
    let channelCount = boxCount * entryCount
    guard tensor.shape.count == 4, tensor.shape[0] == 1, tensor.shape[channelAxis] == channelCount
    else {
      throw .mismatch(
        "has the shape \(tensor.shape), and \(boxCount) boxes of \(entryCount) numbers make "
          + "\(channelCount) channels")
    }
    let spatial = order == .channelsLast ? 1 : 2
    (height, width) = (tensor.shape[spatial], tensor.shape[spatial + 1])
    numbers = tensor.doubles
    if order == .channelsFirst {
      (cellStride, entryStride) = (1, width * height)
    } else {
      (cellStride, entryStride) = (channelCount, 1)
    }
    boxStride = entryCount * entryStride
  }

  /// Whether any element is NaN.
  var hasNaN: Bool { numbers.contains { $0.isNaN } }

  /// Returns an element of a box; `cell` counts row by row.
  func callAsFunction(cell: Int, box: Int, entry: Int) -> Double {
    numbers[cell * cellStride + box * boxStride + entry * entryStride]
  }
}
