import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// A tensor as pictures `[batch, channels, height, width]`, and how it was brought there.
struct CoreMLPictures {
  let value: ValueID
  /// The tensor's own axes.
  fileprivate let blob: CoreMLBlob
  /// The extent of the sequence axis, where it was put together with the batch.
  fileprivate let sequence: Int?
}

extension CoreMLCall {
  /// A tensor as pictures. All axes in front of the channels count as a batch
  /// (`NeuralNetwork.proto`, `ConvolutionLayerParams`).
  mutating func pictures(_ blob: CoreMLBlob) throws(WeighbridgeError) -> CoreMLPictures {
    guard let position = blob.axes.firstIndex(of: .sequence),
      type(blob.value).shape[position] != 1
    else {
      return CoreMLPictures(
        value: try value(blob, CoreMLAxis.picture), blob: blob, sequence: nil)
    }
    guard let sequence = type(blob.value).shape[position].value else {
      throw unsupported("takes a sequence of unknown length as pictures")
    }
    let whole = try value(blob, CoreMLAxis.allCases)
    let merged = try add(
      ReshapeAxes([.rest, .axis(2), .axis(3), .axis(4)]), [whole], role: "merge")
    return CoreMLPictures(value: merged, blob: blob, sequence: sequence)
  }

  /// Pictures made of others, as a tensor of the axes of those.
  mutating func tensor(
    _ value: ValueID, like pictures: CoreMLPictures
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard let sequence = pictures.sequence else {
      return CoreMLBlob(value, CoreMLAxis.picture, rank: pictures.blob.rank)
    }
    let parted = try add(
      ReshapeAxes([.fixed(sequence), .rest, .axis(1), .axis(2), .axis(3)]), [value], role: "part")
    return CoreMLBlob(parted, CoreMLAxis.allCases, rank: pictures.blob.rank)
  }

  /// The amounts of a `BorderAmounts`: of the height and the width.
  func borders(
    _ record: ProtobufRecord?
  ) throws(WeighbridgeError) -> (before: [Int], after: [Int]) {
    guard let record else { return ([0, 0], [0, 0]) }
    let edges = record.records("borderAmounts")
    guard edges.isEmpty || edges.count == 2 else {
      throw malformed("has border amounts for \(edges.count) axes, and two belong there")
    }
    if edges.isEmpty { return ([0, 0], [0, 0]) }
    return (edges.map { $0.integer("startEdgeSize") }, edges.map { $0.integer("endEdgeSize") })
  }

  /// The padding of a window: `valid` with its amounts, or `same`.
  mutating func windowPadding(
    size: [Int], strides: [Int], dilation: [Int], of picture: ValueID
  ) throws(WeighbridgeError) -> WindowPadding {
    if let valid = record("valid") {
      let borders = try borders(valid.record("paddingAmounts"))
      let isNothing = (borders.before + borders.after).allSatisfy { $0 == 0 }
      return isNothing ? .valid : .explicit(before: borders.before, after: borders.after)
    }
    guard let same = record("same") else { throw malformed("says nothing of its padding") }
    if same.choice("asymmetryMode") != "TOP_LEFT_HEAVY" { return .same }
    // The larger half stands in front, so the amounts must be known.
    let extents = try spatialExtents(picture)
    try checkWindow(size + strides + dilation)
    let totals = (0..<2).map { axis in
      let count = (extents[axis] + strides[axis] - 1) / strides[axis]
      return max(
        0, (count - 1) * strides[axis] + (size[axis] - 1) * dilation[axis] + 1 - extents[axis])
    }
    return .explicit(before: totals.map { $0 - $0 / 2 }, after: totals.map { $0 / 2 })
  }

  /// Refuses extents and steps of a window that no window has, before anything is computed of them.
  func checkWindow(_ numbers: [Int]) throws(WeighbridgeError) {
    guard let number = numbers.first(where: { !(1...1 << 24).contains($0) }) else { return }
    throw malformed("has a window extent or step of \(number), and 1 to \(1 << 24) are possible")
  }

  /// The height and width of pictures.
  func spatialExtents(_ picture: ValueID) throws(WeighbridgeError) -> [Int] {
    let extents = type(picture).shape[2...].compactMap(\.value)
    guard extents.count == 2 else { throw unsupported("needs the height and width known") }
    return extents
  }
}
