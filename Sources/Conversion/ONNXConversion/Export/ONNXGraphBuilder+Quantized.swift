import Bytes
import GraphIR
import ONNXFormat

extension ONNXGraphBuilder {
  /// Stores the integers of a weight, and adds the nodes that decode them: `DequantizeLinear`, or
  /// `Gather` from a table.
  ///
  /// - Parameters:
  ///   - own: The name of the weight.
  ///   - shape: The weight's shape in the file.
  /// - Returns: Whether ONNX has a form for them.
  mutating func add(_ quantized: QuantizedWeight, _ own: String, shape: [Int]) -> Bool {
    switch quantized.meaning {
    case .table(let table):
      add(table, quantized.integers, own, shape: shape)
      return true
    case .blocks(let blockShape, let scales):
      // A reshaped weight may have its axes elsewhere.
      guard opset >= Self.blocksOpset, shape == quantized.integers.shape,
        let blocks = ONNXBlocks(shape, blockShape: blockShape)
      else { return false }
      add(quantized, blocks, scales, own)
      return true
    case .linear(let line): return add(quantized, line, own, shape: shape)
    }
  }

  /// The first opset with 4-bit integers and with scales for blocks along an axis.
  private static let blocksOpset = 21

  private mutating func add(
    _ table: [Float], _ integers: Tensor, _ own: String, shape: [Int]
  ) {
    let (codes, numbers) = (unusedName("\(own)/codes"), unusedName("\(own)/table"))
    let positions = unusedName("\(own)/positions")
    add(codes, integers.elementType, shape: shape, [integers])
    add(
      numbers, .float32, shape: [table.count],
      [Tensor(.float32, shape: [table.count], table.map(Double.init))])
    addBefore("Cast", [codes], positions, [("to", .integer(Int(ElementType.int32.onnxNumber)))])
    addBefore("Gather", [numbers, positions], own)
  }

  private mutating func add(
    _ quantized: QuantizedWeight, _ line: QuantizedWeight.Line, _ own: String, shape: [Int]
  ) -> Bool {
    let type = quantized.integers.elementType
    let hasAxis = line.axis == nil || shape == quantized.integers.shape
    let zeros = Tensor(type, shape: [line.zeroPoints.count], line.zeroPoints.map(Double.init))
    guard hasAxis, line.offsets.isEmpty, type != .int16 || opset >= 21,
      zeros.doubles == line.zeroPoints.map(Double.init)
    else { return false }
    let sizes = line.axis == nil ? [] : [line.scales.count]
    var inputs = [unusedName("\(own)/quantized"), unusedName("\(own)/scale")]
    // A zero point has the type of the integers.
    add(inputs[0], quantized, shape: shape, isPacked: zeros.count == 0)
    add(
      inputs[1], .float32, shape: sizes,
      [Tensor(.float32, shape: sizes, line.scales.map(Double.init))])
    if zeros.count > 0 {
      inputs.append(unusedName("\(own)/zero_point"))
      add(inputs[2], type, shape: sizes, [zeros.reshaped(sizes)])
    }
    addBefore(
      "DequantizeLinear", inputs, own, line.axis.map { [("axis", .integer($0))] } ?? [])
    return true
  }

  private mutating func add(
    _ quantized: QuantizedWeight, _ blocks: ONNXBlocks, _ scales: Tensor, _ own: String
  ) {
    let shape = quantized.integers.shape
    let (integers, scale) = (unusedName("\(own)/quantized"), unusedName("\(own)/scale"))
    add(integers, quantized, shape: blocks.shape, isPacked: true)
    add(scale, .float32, shape: blocks.scaleShape, [scales])
    let isFlat = blocks.shape != shape
    let numbers = isFlat ? unusedName("\(own)/flat") : own
    addBefore(
      "DequantizeLinear", [integers, scale], numbers,
      [("axis", .integer(blocks.axis)), ("block_size", .integer(blocks.size))])
    guard isFlat else { return }
    let sizes = Tensor(.int64, shape: [shape.count], shape.map(Double.init))
    addBefore("Reshape", [numbers, constant(sizes)], own)
  }

  /// Stores integers, in 4 bits where they fit and the opset has them.
  private mutating func add(
    _ name: String, _ quantized: QuantizedWeight, shape: [Int], isPacked: Bool
  ) {
    let integers = quantized.integers
    guard isPacked, quantized.bits <= 4, integers.elementType == .int8, opset >= Self.blocksOpset
    else { return add(name, integers.elementType, shape: shape, [integers]) }
    let bytes = integers.contiguousBytes()
    let packed = stride(from: 0, to: bytes.count, by: 2).map { first -> UInt8 in
      let high = first + 1 < bytes.count ? bytes[first + 1] << 4 : 0
      return bytes[first] & 15 | high
    }
    add(
      name, .int8, isPacked: true, shape: shape,
      [Tensor(.int8, shape: [packed.count], bytes: packed)])
  }
}

/// Blocks of a weight in the form of `DequantizeLinear`: neighbours along one axis of a tensor.
private struct ONNXBlocks {
  /// The tensor's shape; with merged axes where a block spans all of the axes after its own.
  let shape: [Int]
  let axis, size: Int
  /// The tensor's shape, with the number of blocks along the axis.
  let scaleShape: [Int]

  /// - Returns: `nil` for blocks along several axes that cannot be merged into one.
  init?(_ whole: [Int], blockShape: [Int]) {
    let wide = whole.indices.filter { blockShape[$0] > 1 }
    guard let axis = wide.first, wide.dropFirst().allSatisfy({ blockShape[$0] == whole[$0] }),
      wide == Array(axis..<axis + wide.count)
    else { return nil }
    let behind = whole[(axis + wide.count)...]
    let run = whole[(axis + 1)..<(axis + wide.count)].reduce(1, *)
    if wide.count == 1 {
      (shape, self.axis) = (whole, axis)
    } else {
      shape = [whole[..<axis].reduce(1, *), whole[axis] * run] + behind
      self.axis = 1
    }
    size = blockShape[axis] * run
    var scaleShape = shape
    scaleShape[self.axis] = (shape[self.axis] + size - 1) / size
    self.scaleShape = scaleShape
  }
}
