import Bytes
import GraphIR
import LayerCatalog

extension LocallyConnected: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let weights = group.inputs.dropFirst().compactMap { builder.graph[$0].constant }
    guard builder.areFloats(group.inputs + group.outputs),
      weights.count == group.inputs.count - 1
    else { return false }
    let shape = builder.shape(of: group.inputs[0])
    let toChannelsFirst = layout.axesToChannelsFirst(rank: shape.count)
    let input = builder.rearranged(group.inputs[0]) { $0.permuted(toChannelsFirst) }
    let kernel = builder.rowMajor(group.inputs[1]).storage
    let windows = LocalWindows(self, kernel: weights[0].shape)
    let bias = hasBias ? weights[1].doubles.map(Float.init) : []
    let batch = shape[0]
    let sums = builder.addScratch(
      byteCount: batch * windows.positions * windows.filters * MemoryLayout<Float>.stride)
    let buffer = builder.addScratch(
      byteCount: windows.positions * windows.length * MemoryLayout<Float>.stride)
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Each storage has the size given by `windows`, and no two positions overlap.
        nonisolated(unsafe) let addresses = unsafe [input, kernel, sums, buffer].map {
          unsafe memory[$0].assumingMemoryBound(to: Float.self)
        }
        for image in 0..<batch {
          Threads.parallel(rows: windows.positions, length: windows.length * windows.filters) {
            unsafe windows.compute(
              position: $0, source: addresses[0] + image * windows.imageSize,
              kernel: addresses[1], bias: bias,
              target: addresses[2] + image * windows.positions * windows.filters,
              buffer: addresses[3] + $0 * windows.length)
          }
        }
      }, using: [input, kernel, sums, buffer])
    // [batch, positions..., filters]
    let rank = shape.count
    let view = StridedView([batch] + windows.outputDimensions + [windows.filters])
    let channelsFirst = view.permuted([0, rank - 1] + Array(1..<rank - 1))
    let output = builder.makeTensor(group.outputs[0])
    builder.addCopy(
      channelsFirst.permuted(layout.axesFromChannelsFirst(rank: rank)), of: sums, .float32,
      count: view.shape.reduce(1, *), to: output.storage)
    return true
  }
}

/// The windows of a locally connected layer, each with its own weights.
private struct LocalWindows: Sendable {
  /// The spatial sizes of the output.
  let outputDimensions: [Int]
  let filters: Int
  /// The number of elements of an image.
  let imageSize: Int
  private let channels: Int
  /// The number of elements of a channel.
  private let planeSize: Int
  /// For each position, the offsets of its window's elements in a channel; -1 in the padding.
  private let windowOffsets: [[Int]]

  /// The number of windows.
  var positions: Int { windowOffsets.count }
  /// The number of elements of a window in all channels.
  let length: Int

  /// - Parameter kernel: `[positions..., filters, channels, window...]`.
  init(_ operation: LocallyConnected, kernel: [Int]) {
    let axes = operation.dimensions.count
    outputDimensions = Array(kernel[..<axes])
    (filters, channels) = (kernel[axes], kernel[axes + 1])
    let window = Array(kernel[(axes + 2)...])
    planeSize = operation.dimensions.reduce(1, *)
    imageSize = channels * planeSize
    length = channels * window.reduce(1, *)
    windowOffsets = Self.windowOffsets(operation, outputDimensions, window)
  }

  private static func windowOffsets(
    _ operation: LocallyConnected, _ outputDimensions: [Int], _ window: [Int]
  ) -> [[Int]] {
    let strides = Tensor.rowMajorStrides(operation.dimensions)
    let outputStrides = Tensor.rowMajorStrides(outputDimensions)
    let windowStrides = Tensor.rowMajorStrides(window)
    return (0..<outputDimensions.reduce(1, *)).map { position in
      (0..<window.reduce(1, *)).map { tap in
        var offset = 0
        for axis in operation.dimensions.indices {
          let index =
            position / outputStrides[axis] % outputDimensions[axis] * operation.strides[axis]
            - operation.before[axis] + tap / windowStrides[axis] % window[axis]
          guard (0..<operation.dimensions[axis]).contains(index) else { return -1 }
          offset += index * strides[axis]
        }
        return offset
      }
    }
  }

  /// Computes all filters at one position.
  ///
  /// - Parameter buffer: Scratch memory for the elements of one window.
  func compute(
    position: Int, source: UnsafePointer<Float>, kernel: UnsafePointer<Float>, bias: [Float],
    target: UnsafeMutablePointer<Float>, buffer: UnsafeMutablePointer<Float>
  ) {
    let windowOffsets = windowOffsets[position]
    for channel in 0..<channels {
      for (tap, offset) in windowOffsets.enumerated() {
        unsafe buffer[channel * windowOffsets.count + tap] =
          unsafe offset < 0 ? 0 : source[channel * planeSize + offset]
      }
    }
    let window = unsafe UnsafeMutableBufferPointer(start: buffer, count: length)
    for filter in position * filters..<(position + 1) * filters {
      let product = unsafe window.product(with: kernel + filter * length)
      unsafe target[filter] = bias.isEmpty ? product : product + bias[filter]
    }
  }
}
