import Bytes
import GraphIR

/// The input of a sliding-window operator in the form that reference kernels use: one plane for
/// each channel, whatever the layout, with explicit padding so that every window is in bounds.
struct PaddedPlanes: Sendable {
  /// The number of images.
  let batch: Int
  /// The number of channels.
  let channels: Int
  /// The offset of each element of the window in a plane, relative to its first element.
  let tapOffsets: [Int]
  /// The output's spatial sizes.
  let outputDimensions: [Int]

  private let values: [Double]
  private let planeSize: Int
  /// The distance between adjacent windows of a row.
  let step: Int
  /// The positions of windows in a plane and of their results.
  let runs: [Run]
  /// The start of each row of the output in the results.
  private let rowStarts: [Int]
  /// The offset in a plane of the first window of each row of the output.
  private let rowOffsets: [Int]

  /// - Parameter padding: The value of padding elements.
  init(
    _ input: Tensor, layout: DataLayout, window: Window, padding: Double, workers: Workers
  ) throws(WeighbridgeError) {
    let transposed = input.permuted(layout.axesToChannelsFirst(rank: input.shape.count))
    (batch, channels) = (transposed.shape[0], transposed.shape[1])
    let dimensions = Array(transposed.shape[2...])
    let placements = try Self.placements(window, dimensions)
    let padded = zip(dimensions, placements).map { $0 + $1.before + $1.after }
    outputDimensions = placements.map(\.count)
    planeSize = try Checked.product(padded, of: "the size of a padded plane")
    _ = try Checked.product([batch, channels, planeSize, 8], of: "the size of the padded input")
    let steps = Tensor.rowMajorStrides(padded)
    tapOffsets = Self.offsets(window.size, zip(steps, window.dilation).map(*))
    let strides = zip(steps, window.strides).map(*)
    step = strides[strides.count - 1]
    rowOffsets = Self.offsets(Array(outputDimensions.dropLast()), Array(strides.dropLast()))
    (runs, rowStarts) = Run.layOut(
      rows: rowOffsets, width: outputDimensions[outputDimensions.count - 1], step: step)
    values = Self.blocks(of: transposed, workers: workers) { block in
      Self.pad(block, padded: padded, before: placements.map(\.before), with: padding)
    }
  }

  /// The number of elements in a plane of the output.
  var outputPlaneSize: Int { outputDimensions.reduce(1, *) }

  /// The padded plane of a channel of an image.
  func plane(image: Int, channel: Int) -> ArraySlice<Double> {
    let start = (image * channels + channel) * planeSize
    return values[start..<start + planeSize]
  }

  /// The elements of windows, `[channels, window...]`.
  ///
  /// - Parameters:
  ///   - positions: Those in a plane of the output.
  ///   - hasOne: Whether a 1, by which a bias is multiplied, precedes the elements.
  func windows(
    _ positions: Range<Int>, image: Int, channels: Range<Int>, hasOne: Bool
  ) -> Vectors {
    let width = outputDimensions[outputDimensions.count - 1]
    let starts = positions.map { rowOffsets[$0 / width] + $0 % width * step }
    let offsets = channels.flatMap { channel in
      let plane = (image * self.channels + channel) * planeSize
      return tapOffsets.map { plane + $0 }
    }
    let ones = hasOne ? ArraySlice(repeating: 1.0, count: starts.count) : nil
    return Vectors(values, starts: starts, offsets: offsets, after: ones)
  }

  /// Returns the output's planes, with channels innermost in `planes`, as a tensor in the input's
  /// layout.
  ///
  /// - Parameter planes: The results of ``combine(_:weights:into:with:)``.
  func output(
    _ planes: [[Double]], channels: Int, like input: Tensor, layout: DataLayout
  ) -> Tensor {
    let shape = [batch, channels] + outputDimensions
    let width = outputDimensions[outputDimensions.count - 1]
    var elements: [Double] = []
    elements.reserveCapacity(planes.count * outputPlaneSize)
    for plane in planes {
      for start in rowStarts { elements += plane[start..<start + width] }
    }
    return Tensor(input.elementType, shape: shape, elements)
      .permuted(layout.axesFromChannelsFirst(rank: shape.count))
  }

  private static func placements(
    _ window: Window, _ dimensions: [Int]
  ) throws(WeighbridgeError) -> [Window.Placement] {
    var placements: [Window.Placement] = []
    for (axis, dimension) in dimensions.enumerated() {
      do throws(ShapeError) {
        placements.append(try window.placement(axis, dimension: dimension))
      } catch { throw .mismatch(error.reason) }
    }
    return placements
  }

  /// All combinations of indices, in row-major order.
  static func indices(of dimensions: [Int]) -> [[Int]] {
    dimensions.reduce([[]]) { indices, dimension in
      indices.flatMap { outer in (0..<dimension).map { outer + [$0] } }
    }
  }

  /// The offsets of all combinations of indices, in row-major order.
  static func offsets(_ dimensions: [Int], _ steps: [Int]) -> [Int] {
    zip(dimensions, steps).reduce([0]) { offsets, axis in
      offsets.flatMap { offset in (0..<axis.0).map { offset + $0 * axis.1 } }
    }
  }

  /// The numbers that are made of blocks of some channels of each image, one after the other.
  private static func blocks(
    of input: Tensor, workers: Workers, _ numbers: @Sendable (_ block: Tensor) -> [Double]
  ) -> [Double] {
    let (images, channels) = (input.shape[0], input.shape[1])
    let size = max(1, min(16, channels / workers.count))
    let count = (channels + size - 1) / size
    let blocks = workers.map(images * count) { index in
      let first = index % count * size
      return numbers(
        input.slice(index / count..<index / count + 1, along: 0)
          .slice(first..<min(first + size, channels), along: 1))
    }
    if blocks.count == 1 { return blocks[0] }
    var result: [Double] = []
    result.reserveCapacity(blocks.reduce(0) { $0 + $1.count })
    for block in blocks { result += block }
    return result
  }

  private static func pad(
    _ input: Tensor, padded: [Int], before: [Int], with padding: Double
  ) -> [Double] {
    let (source, dimensions) = (input.doubles, Array(input.shape[2...]))
    guard dimensions != padded else { return source }
    let width = dimensions[dimensions.count - 1]
    let planeSize = padded.reduce(1, *)
    let steps = Tensor.rowMajorStrides(padded)
    let start = zip(before, steps).map(*).reduce(0, +)
    let rows = offsets(Array(dimensions.dropLast()), Array(steps.dropLast()))
    let planes = input.shape[0] * input.shape[1]
    var result = [Double](repeating: padding, count: planes * planeSize)
    var next = 0
    for plane in 0..<planes {
      for row in rows {
        let target = plane * planeSize + start + row
        result.replaceSubrange(target..<target + width, with: source[next..<next + width])
        next += width
      }
    }
    return result
  }
}
