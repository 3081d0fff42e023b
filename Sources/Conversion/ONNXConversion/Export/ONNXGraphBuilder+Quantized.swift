import Bytes
import GraphIR
import ONNXFormat

extension ONNXGraphBuilder {
  /// Stores the integers of a weight, and adds the nodes that decode them: `DequantizeLinear`, or
  /// `Gather` from a table.
  ///
  /// - Parameters:
  ///   - name: The name of the weight.
  ///   - shape: The weight's shape in the file.
  /// - Returns: Whether ONNX can represent them.
  mutating func add(_ quantized: QuantizedWeight, _ name: String, shape: [Int]) -> Bool {
    switch quantized.dequantization {
    case .table(let table):
      add(table, quantized.integers, name, shape: shape)
      return true
    case .blocks(let blockShape, let scales):
      // A reshaped weight may have its axes elsewhere.
      guard opset >= Self.blocksOpset, shape == quantized.integers.shape,
        let blocks = ONNXBlocks(shape, blockShape: blockShape)
      else { return false }
      add(quantized, blocks, scales, name)
      return true
    case .linear(let line): return add(quantized, line, name, shape: shape)
    }
  }

  /// The first opset with 4-bit integers and with scales for blocks along an axis.
  private static let blocksOpset = 21

  private mutating func add(
    _ table: [Float], _ integers: Tensor, _ name: String, shape: [Int]
  ) {
    let (codes, tableName) = (unusedName("\(name)/codes"), unusedName("\(name)/table"))
    let indices = unusedName("\(name)/positions")
    add(codes, integers.elementType, shape: shape, [integers])
    add(
      tableName, .float32, shape: [table.count],
      [Tensor(.float32, shape: [table.count], table.map(Double.init))])
    addDecodingNode("Cast", [codes], indices, [("to", .integer(Int(ElementType.int32.onnxNumber)))])
    addDecodingNode("Gather", [tableName, indices], name)
  }

  private mutating func add(
    _ quantized: QuantizedWeight, _ line: QuantizedWeight.LinearParameters, _ name: String,
    shape: [Int]
  ) -> Bool {
    let type = quantized.integers.elementType
    let hasAxis = line.axis == nil || shape == quantized.integers.shape
    let zeroPoints = Tensor(type, shape: [line.zeroPoints.count], line.zeroPoints.map(Double.init))
    guard hasAxis, line.offsets.isEmpty, type != .int16 || opset >= 21,
      zeroPoints.doubles == line.zeroPoints.map(Double.init)
    else { return false }
    let scaleShape = line.axis == nil ? [] : [line.scales.count]
    var inputs = [unusedName("\(name)/quantized"), unusedName("\(name)/scale")]
    // A zero point has the type of the integers.
    add(inputs[0], quantized, shape: shape, isPacked: zeroPoints.count == 0)
    add(
      inputs[1], .float32, shape: scaleShape,
      [Tensor(.float32, shape: scaleShape, line.scales.map(Double.init))])
    if zeroPoints.count > 0 {
      inputs.append(unusedName("\(name)/zero_point"))
      add(inputs[2], type, shape: scaleShape, [zeroPoints.reshaped(scaleShape)])
    }
    addDecodingNode(
      "DequantizeLinear", inputs, name, line.axis.map { [("axis", .integer($0))] } ?? [])
    return true
  }

  private mutating func add(
    _ quantized: QuantizedWeight, _ blocks: ONNXBlocks, _ scales: Tensor, _ name: String
  ) {
    let shape = quantized.integers.shape
    let (integers, scale) = (unusedName("\(name)/quantized"), unusedName("\(name)/scale"))
    add(integers, quantized, shape: blocks.shape, isPacked: true)
    add(scale, .float32, shape: blocks.scaleShape, [scales])
    let isReshaped = blocks.shape != shape
    let output = isReshaped ? unusedName("\(name)/flat") : name
    addDecodingNode(
      "DequantizeLinear", [integers, scale], output,
      [("axis", .integer(blocks.axis)), ("block_size", .integer(blocks.size))])
    guard isReshaped else { return }
    let sizes = Tensor(.int64, shape: [shape.count], shape.map(Double.init))
    addDecodingNode("Reshape", [output, constant(sizes)], name)
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
      name, .int8, narrowType: .int4, shape: shape,
      [Tensor(.int8, shape: [packed.count], bytes: packed)])
  }
}

/// Blocks of a weight in the form of `DequantizeLinear`: adjacent elements along one axis of a
/// tensor.
private struct ONNXBlocks {
  /// The tensor's shape, in which the axes that a block spans are merged.
  let shape: [Int]
  let axis, size: Int
  /// The tensor's shape, with the number of blocks along the axis.
  let scaleShape: [Int]

  /// - Returns: `nil` for blocks along several axes that cannot be merged into one.
  init?(_ weightShape: [Int], blockShape: [Int]) {
    let blockAxes = weightShape.indices.filter { blockShape[$0] > 1 }
    guard let axis = blockAxes.first,
      blockAxes.dropFirst().allSatisfy({ blockShape[$0] == weightShape[$0] }),
      blockAxes == Array(axis..<axis + blockAxes.count)
    else { return nil }
    let trailing = weightShape[(axis + blockAxes.count)...]
    let mergedCount = weightShape[(axis + 1)..<(axis + blockAxes.count)].reduce(1, *)
    if blockAxes.count == 1 {
      (shape, self.axis) = (weightShape, axis)
    } else {
      shape = [weightShape[..<axis].reduce(1, *), weightShape[axis] * mergedCount] + trailing
      self.axis = 1
    }
    size = blockShape[axis] * mergedCount
    var scaleShape = shape
    scaleShape[self.axis] = (shape[self.axis] + size - 1) / size
    self.scaleShape = scaleShape
  }
}
