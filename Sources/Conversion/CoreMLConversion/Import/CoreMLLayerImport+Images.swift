import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A tensor as images `[batch, channels, height, width]`, and how to undo the conversion.
struct CoreMLImages {
  let value: ValueID
  /// The original tensor.
  fileprivate let blob: CoreMLBlob
  /// The size of the sequence axis, where it was merged with the batch.
  fileprivate let sequence: Int?
}

extension CoreMLLayerImport {
  /// Converts a tensor to images. All axes before the channels count as a batch
  /// (`NeuralNetwork.proto`, `ConvolutionLayerParams`).
  mutating func images(_ blob: CoreMLBlob) throws(WeighbridgeError) -> CoreMLImages {
    guard let position = blob.axes.firstIndex(of: .sequence),
      type(blob.value).shape[position] != 1
    else {
      return CoreMLImages(
        value: try value(blob, CoreMLAxis.image), blob: blob, sequence: nil)
    }
    guard let sequence = type(blob.value).shape[position].value else {
      throw unsupported(
        "takes the elements of a sequence of unknown length as images (\(type(blob.value))), and only a known "
          + "length can be read")
    }
    let images = try value(blob, CoreMLAxis.allCases)
    let merged = try add(
      ReshapeAxes([.rest, .axis(2), .axis(3), .axis(4)]), [images], role: "merge")
    return CoreMLImages(value: merged, blob: blob, sequence: sequence)
  }

  /// Converts images that were computed from others back to the axes of the original tensor.
  mutating func tensor(
    _ value: ValueID, like images: CoreMLImages
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard let sequence = images.sequence else {
      return CoreMLBlob(value, CoreMLAxis.image, rank: images.blob.rank)
    }
    let split = try add(
      ReshapeAxes([.fixed(sequence), .rest, .axis(1), .axis(2), .axis(3)]), [value], role: "part")
    return CoreMLBlob(split, CoreMLAxis.allCases, rank: images.blob.rank)
  }

  /// The amounts of a `BorderAmounts`, for height and width.
  func borders(
    _ record: ProtobufRecord?
  ) throws(WeighbridgeError) -> (before: [Int], after: [Int]) {
    guard let record else { return ([0, 0], [0, 0]) }
    let edges = record.records("borderAmounts")
    guard edges.isEmpty || edges.count == 2 else {
      throw malformed("has border amounts for \(edges.count.counted("axis")), expected 2")
    }
    if edges.isEmpty { return ([0, 0], [0, 0]) }
    return (edges.map { $0.integer("startEdgeSize") }, edges.map { $0.integer("endEdgeSize") })
  }

  /// The padding of a window: `valid` with its amounts, or `same`.
  mutating func windowPadding(
    size: [Int], strides: [Int], dilation: [Int], of image: ValueID
  ) throws(WeighbridgeError) -> WindowPadding {
    if let valid = record("valid") {
      let borders = try borders(valid.record("paddingAmounts"))
      let isZero = (borders.before + borders.after).allSatisfy { $0 == 0 }
      return isZero ? .valid : .explicit(before: borders.before, after: borders.after)
    }
    guard let same = record("same") else {
      throw malformed("names no padding, expected valid or same")
    }
    if same.choice("asymmetryMode") != "TOP_LEFT_HEAVY" { return .same }
    // The larger half is added before the first element, so the amounts must be known.
    let dimensions = try spatialDimensions(image)
    try checkWindow(size + strides + dilation)
    let totals = (0..<2).map { axis in
      let outputSize = (dimensions[axis] + strides[axis] - 1) / strides[axis]
      let covered = (outputSize - 1) * strides[axis] + (size[axis] - 1) * dilation[axis] + 1
      return max(0, covered - dimensions[axis])
    }
    return .explicit(before: totals.map { $0 - $0 / 2 }, after: totals.map { $0 / 2 })
  }

  /// Refuses impossible window sizes and strides before anything is computed from them.
  func checkWindow(_ numbers: [Int]) throws(WeighbridgeError) {
    guard let number = numbers.first(where: { !(1...1 << 24).contains($0) }) else { return }
    throw malformed("has a window size or step of \(number), and 1 to \(1 << 24) are possible")
  }

  /// The height and width of images.
  func spatialDimensions(_ image: ValueID) throws(WeighbridgeError) -> [Int] {
    let dimensions = type(image).shape[2...].compactMap(\.value)
    guard dimensions.count == 2 else {
      throw unsupported("takes \(type(image)), and only a known height and width can be read")
    }
    return dimensions
  }
}
