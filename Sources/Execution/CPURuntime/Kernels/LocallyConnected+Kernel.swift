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
    let turn = layout.axesToChannelsFirst(rank: shape.count)
    let input = builder.arranged(group.inputs[0]) { $0.permuted(turn) }
    let kernel = builder.rowMajor(group.inputs[1]).storage
    let windows = LocalWindows(self, kernel: weights[0].shape)
    let bias = hasBias ? weights[1].doubles.map(Float.init) : []
    let batch = shape[0]
    let sums = builder.addScratch(
      byteCount: batch * windows.positions * windows.filters * MemoryLayout<Float>.stride)
    let room = builder.addScratch(
      byteCount: windows.positions * windows.length * MemoryLayout<Float>.stride)
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Each storage has room for what `windows` counts, and no two positions overlap.
        nonisolated(unsafe) let addresses = [input, kernel, sums, room].map {
          memory[$0].assumingMemoryBound(to: Float.self)
        }
        for image in 0..<batch {
          Threads.parallel(rows: windows.positions, length: windows.length * windows.filters) {
            windows.compute(
              position: $0, source: addresses[0] + image * windows.imageSize,
              kernel: addresses[1], bias: bias,
              target: addresses[2] + image * windows.positions * windows.filters,
              room: addresses[3] + $0 * windows.length)
          }
        }
      }, using: [input, kernel, sums, room])
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

/// The windows of a locally connected layer, each of which has weights of its own.
private struct LocalWindows: Sendable {
  /// The sizes of the output's places.
  let outputDimensions: [Int]
  let filters: Int
  /// How many elements an image has.
  let imageSize: Int
  private let channels: Int
  /// How many elements a channel has.
  private let planeSize: Int
  /// For each position, the elements of its window in a channel; -1 for those outside.
  private let places: [[Int]]

  /// How many windows there are.
  var positions: Int { places.count }
  /// How many elements a window has, of all channels.
  let length: Int

  /// - Parameter kernel: `[places..., filters, channels, window...]`.
  init(_ operation: LocallyConnected, kernel: [Int]) {
    let axes = operation.dimensions.count
    outputDimensions = Array(kernel[..<axes])
    (filters, channels) = (kernel[axes], kernel[axes + 1])
    let window = Array(kernel[(axes + 2)...])
    planeSize = operation.dimensions.reduce(1, *)
    imageSize = channels * planeSize
    length = channels * window.reduce(1, *)
    places = Self.places(operation, outputDimensions, window)
  }

  private static func places(
    _ operation: LocallyConnected, _ outputDimensions: [Int], _ window: [Int]
  ) -> [[Int]] {
    let strides = Tensor.rowMajorStrides(operation.dimensions)
    let outputStrides = Tensor.rowMajorStrides(outputDimensions)
    let windowStrides = Tensor.rowMajorStrides(window)
    return (0..<outputDimensions.reduce(1, *)).map { position in
      (0..<window.reduce(1, *)).map { tap in
        var place = 0
        for axis in operation.dimensions.indices {
          let index =
            position / outputStrides[axis] % outputDimensions[axis] * operation.strides[axis]
            - operation.before[axis] + tap / windowStrides[axis] % window[axis]
          guard (0..<operation.dimensions[axis]).contains(index) else { return -1 }
          place += index * strides[axis]
        }
        return place
      }
    }
  }

  /// Computes all filters at one position.
  ///
  /// - Parameter room: For the elements of one window.
  func compute(
    position: Int, source: UnsafePointer<Float>, kernel: UnsafePointer<Float>, bias: [Float],
    target: UnsafeMutablePointer<Float>, room: UnsafeMutablePointer<Float>
  ) {
    let places = places[position]
    for channel in 0..<channels {
      for (tap, place) in places.enumerated() {
        room[channel * places.count + tap] = place < 0 ? 0 : source[channel * planeSize + place]
      }
    }
    let window = UnsafeMutableBufferPointer(start: room, count: length)
    for filter in position * filters..<(position + 1) * filters {
      let product = window.product(with: kernel + filter * length)
      target[filter] = bias.isEmpty ? product : product + bias[filter]
    }
  }
}
