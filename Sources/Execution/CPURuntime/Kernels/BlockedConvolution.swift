import CKernels
import COneDNN
import GraphIR
import LayerCatalog

/// A convolution with steps of 1 by a kernel of ours.
///
/// It keeps the weights of some input channels in the nearest cache while it passes over all rows, asks
/// for the next ones before it needs them, and sees an image with its padding around it, so that there
/// is one inner loop. The library's kernels run through all weights for each row, and take 1.05 to 1.2
/// times as long (`Benchmarks/README.md`). What the window sees beyond the image is multiplied as 0,
/// also by infinite weights, as the reference does it.
struct BlockedConvolution {
  /// The source with the graph's axes.
  private let source: Layout
  /// The target likewise.
  private let target: Layout
  /// Blocks of weights as the kernel reads them.
  private let weights: Layout
  /// The sizes, and what is done to the result.
  private let call: kernels_convolution
  /// How many images there are.
  private let images: Int
  /// What the window sees of an image.
  private let padding: Padding
  /// Functions of each element that follow by themselves.
  private let functions: [Primitive]

  private static let channelBlock = Int(KERNELS_CHANNEL_BLOCK)
  private static let outputBlock = Int(KERNELS_OUTPUT_BLOCK)

  /// With fewer outputs than this, putting the padding around the image costs more than is won.
  private static let fewestOutputs = 64

  /// - Returns: `nil` when there is no kernel for this processor, or none for this convolution.
  init?(
    _ convolution: Convolution, _ group: NodeGroup, _ builder: PlanBuilder, _ order: SpatialOrder,
    _ kernel: Tensor
  ) {
    let (window, shape) = (convolution.window, kernel.shape)
    guard kernels_convolution_is_there(), convolution.groups == 1, shape.count == 4,
      window.strides == [1, 1], window.size.reduce(1, *) > 1,
      shape[0] % Self.outputBlock == 0, shape[0] >= Self.fewestOutputs,
      shape[1] % Self.channelBlock == 0,
      let steps = Steps(group.additions),
      let rows = Self.axis(0, window, order), let columns = Self.axis(1, window, order),
      builder.rowMajorLayout(of: group.inputs[0]) != nil,
      let source = Layout.blocked(order.dimensions.source),
      let target = Layout.blocked(order.dimensions.target),
      let graphSource = order.restore(source, shape: []),
      let graphTarget = order.restore(target, shape: []),
      let weights = Layout.blockedWeights(shape)
    else { return nil }
    functions = steps.functions.compactMap { Primitive.elementwise($0, graphTarget) }
    guard functions.count == steps.functions.count else { return nil }
    (self.source, self.target, self.weights) = (graphSource, graphTarget, weights)
    images = order.dimensions.source[0]
    padding = Padding(
      blocks: shape[1] / Self.channelBlock, height: order.spatialDimensions[0],
      width: order.spatialDimensions[1], top: rows.before, left: columns.before, rows: rows.padded,
      columns: columns.padded)
    var call = kernels_convolution()
    call.input_channels = Int32(shape[1])
    (call.rows, call.columns) = (Int32(rows.padded), Int32(columns.padded))
    (call.window_height, call.window_width) = (Int32(shape[2]), Int32(shape[3]))
    (call.height, call.width) = (Int32(order.targetDimensions[0]), Int32(order.targetDimensions[1]))
    (call.row_dilation, call.column_dilation) = (
      Int32(window.dilation[0]), Int32(window.dilation[1])
    )
    (call.adds, call.slope) = (steps.adds, steps.slope)
    self.call = call
  }

  /// Where the elements of an axis lie among all that the window sees, and how many these are.
  private static func axis(
    _ axis: Int, _ window: Window, _ order: SpatialOrder
  ) -> (before: Int, padded: Int)? {
    guard let place = try? window.placement(axis, dimension: order.spatialDimensions[axis]) else {
      return nil
    }
    let padded = place.count + (window.size[axis] - 1) * window.dilation[axis]
    return padded <= 1 << 20 && (0..<padded).contains(place.before) ? (place.before, padded) : nil
  }

  /// Adds the steps.
  func add(
    to builder: inout PlanBuilder, _ group: NodeGroup, _ kernel: Tensor, _ folded: FoldedWeights
  ) -> Bool {
    guard
      let weights = builder.weight(kernel, group.inputs[1], as: weights, scales: folded.scales),
      let input = builder.tensor(group.inputs[0], as: source),
      let output = builder.makeTarget(group, target)
    else { return false }
    let bias = builder.addConstant(
      folded.bias ?? [Float](repeating: 0, count: kernel.shape[0]))
    let paddedSize = padding.byteCount
    let padded = builder.addScratch(byteCount: paddedSize)
    let sourceSize = input.byteCount / images
    let targetSize = output.byteCount / images
    let parts = Parts(
      outputBlocks: kernel.shape[0] / Self.outputBlock, rows: Int(call.height),
      threads: builder.threads)
    let (call, padding) = (call, padding)
    builder.add(
      .kernel(name: "blocked convolution") { [images] memory in
        // All of it is this step's while it runs, and as large as the sizes in `call` say.
        nonisolated(unsafe) let (room, weights, bias) = (
          memory[padded], memory[weights].assumingMemoryBound(to: Float.self),
          memory[bias].assumingMemoryBound(to: Float.self)
        )
        let source = room.bindMemory(
          to: Float.self, capacity: paddedSize / MemoryLayout<Float>.stride)
        for image in 0..<images {
          padding.put(memory[input.storage] + image * sourceSize, into: room)
          // All threads only read the source, and each part has rows of the target of its own.
          nonisolated(unsafe) let (source, target) = (
            source,
            (memory[output.storage] + image * targetSize).assumingMemoryBound(to: Float.self)
          )
          OneDNN.parallel(parts.count) { number in
            let (block, rows) = parts[number]
            withUnsafePointer(to: call) {
              kernels_convolve(
                $0, source, weights, bias, target, Int32(block), Int32(rows.lowerBound),
                Int32(rows.upperBound))
            }
          }
        }
      }, using: [input.storage, weights, bias, padded, output.storage])
    for function in functions {
      builder.add(
        function,
        [(onednn_role_source, output.storage), (onednn_role_target, output.storage)])
    }
    return true
  }

  /// What the kernel does to its result, and what follows by itself.
  private struct Steps {
    var adds = false
    var slope: Float = 1
    var functions: [ElementFunction] = []

    /// - Returns: `nil` when a function comes before the sum with another tensor.
    init?(_ additions: [NodeGroup.Addition]) {
      for addition in additions {
        switch addition {
        case .sum:
          guard functions.isEmpty, slope == 1, !adds else { return nil }
          adds = true
        case .functions(let more): functions += more
        }
      }
      if let first = functions.first, first.function == onednn_function_relu {
        slope = first.alpha
        functions.removeFirst()
      }
    }
  }
}

/// An image, channels in blocks, among what a window sees around it.
private struct Padding: Sendable {
  let blocks, height, width: Int
  /// Where the image begins.
  let top, left: Int
  /// The sizes of what the window sees.
  let rows, columns: Int

  /// The size of an element's block of channels.
  private static let block = Int(KERNELS_CHANNEL_BLOCK) * MemoryLayout<Float>.stride

  /// The size of the whole.
  var byteCount: Int { blocks * rows * columns * Self.block }

  /// Copies the part of the image that the window sees, with zeros around it.
  func put(_ image: UnsafeMutableRawPointer, into padded: UnsafeMutableRawPointer) {
    let seen = min(width, columns - left) * Self.block
    let (front, line) = (left * Self.block, columns * Self.block)
    // Each row is written by one thread; both are as large as the sizes say.
    nonisolated(unsafe) let (image, padded) = (image, padded)
    OneDNN.parallel(rows: blocks * rows, length: columns * Int(KERNELS_CHANNEL_BLOCK)) { row in
      let target = padded + row * line
      let place = row % rows - top
      guard (0..<height).contains(place) else { return target.clear(line) }
      target.clear(front)
      (target + front).copyMemory(
        from: image + (row / rows * height + place) * width * Self.block, byteCount: seen)
      (target + front + seen).clear(line - front - seen)
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Zeros from here on.
  fileprivate func clear(_ byteCount: Int) {
    initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }
}

/// The parts of an output that threads compute.
private struct Parts: Sendable {
  let outputBlocks: Int
  let rows: Int
  /// Into how many parts the rows are cut, where there are too few blocks of channels.
  let cuts: Int

  init(outputBlocks: Int, rows: Int, threads: Int) {
    (self.outputBlocks, self.rows) = (outputBlocks, rows)
    cuts =
      outputBlocks % threads == 0 ? 1 : min(rows, (4 * threads + outputBlocks - 1) / outputBlocks)
  }

  var count: Int { outputBlocks * cuts }

  subscript(number: Int) -> (block: Int, rows: Range<Int>) {
    let cut = number % cuts
    return (number / cuts, rows * cut / cuts..<rows * (cut + 1) / cuts)
  }
}
