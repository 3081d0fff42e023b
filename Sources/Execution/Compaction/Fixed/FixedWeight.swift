import Bytes
import GraphIR

/// Stores a weight in an encoding that a user chose.
struct FixedWeight: Sendable {
  let weight: CompactableWeight
  let basis: RoundingBasis
  let workers: Workers

  /// The weight in the encoding; `nil` if it cannot be represented, such as large numbers in
  /// float16.
  func stored(as encoding: FixedEncoding) -> (form: CompactForm, tensor: Tensor, bits: Double)? {
    switch encoding {
    case .linear(let bits): linear(bits, block: nil)
    case .blocks(let bits, let size): linear(bits, block: size)
    case .palette(let bits): palette(bits)
    case .half(let type): half(type)
    }
  }

  private func half(
    _ type: ElementType
  ) -> (form: CompactForm, tensor: Tensor, bits: Double)? {
    let tensor = weight.tensor
    let rounded = Tensor(type, shape: tensor.shape, tensor.doubles).doubles
    guard tensor.elementType.byteCount > 2, rounded.allSatisfy(\.isFinite) else { return nil }
    return (
      .half(type), Tensor(tensor.elementType, shape: tensor.shape, rounded),
      Double(16 * tensor.count)
    )
  }

  private func palette(_ bits: Int) -> (form: CompactForm, tensor: Tensor, bits: Double)? {
    let table = OneDimensionalMeans(of: weight.tensor.floats, count: 1 << bits).means
    let positions = rounded(to: .levels(table)).map { UInt8($0) }
    let tensor = Tensor(
      weight.tensor.elementType, shape: weight.tensor.shape,
      floats: positions.map { table[Int($0)] })
    let matrix = LookupMatrix(bits: bits, positions: positions, table: table)
    return (.lookup(matrix), tensor, Double(bits * positions.count + 32 << bits))
  }

  /// The rounded integers, in the order of the tensor.
  private func rounded(to grid: WeightRounding.Grid) -> [Int32] {
    let rounding = WeightRounding(weight: weight, basis: basis, grid: grid)
    return weight.inTensorOrder(rounding.round(workers: workers).integers)
  }
}

extension FixedWeight {
  /// The axis of the output channels: the longest output axis.
  private var channelAxis: Int {
    weight.outputAxes.max {
      (weight.tensor.shape[$0], $1) < (weight.tensor.shape[$1], $0)
    } ?? 0
  }

  private func linear(
    _ bits: Int, block: Int?
  ) -> (form: CompactForm, tensor: Tensor, bits: Double)? {
    let scales = LinearScales(weight, bits: bits, channelAxis: channelAxis, block: block)
    let limit = Int32(1) << (bits - 1) - 1
    let steps = weight.columnsByRows(
      Tensor(.float32, shape: weight.tensor.shape, floats: scales.perElement))
    let integers = rounded(to: .elements(steps, -limit...limit))
    let numbers = zip(integers, scales.perElement).map { Float($0) * $1 }
    let matrix = LinearMatrix(
      bits: bits, blockShape: scales.blockShape, integers: integers.map { Int8($0) },
      scales: scales.scales)
    return (
      .linear(matrix),
      Tensor(weight.tensor.elementType, shape: weight.tensor.shape, floats: numbers),
      Double(bits * integers.count + 32 * scales.scales.count)
    )
  }
}

/// The scales of blocks of a weight.
struct LinearScales {
  let blockShape: [Int]
  /// One for each block, row-major.
  let scales: [Float]
  /// For each element of the tensor, the scale of its block.
  let perElement: [Float]

  /// - Parameters:
  ///   - channelAxis: The axis along which each index has its own scales.
  ///   - block: The number of elements along the first input axis that share a scale; all when
  ///     `nil`.
  init(_ weight: CompactableWeight, bits: Int, channelAxis: Int, block: Int?) {
    let shape = weight.tensor.shape
    var blockShape = shape
    blockShape[channelAxis] = 1
    if let block, let axis = weight.inputAxes.first { blockShape[axis] = min(block, shape[axis]) }
    self.blockShape = blockShape
    let grid = zip(shape, blockShape).map { ($0 + $1 - 1) / $1 }
    let blocks = Self.blocks(shape, blockShape, grid)
    let numbers = weight.tensor.floats
    var members = [[Float]](repeating: [], count: grid.reduce(1, *))
    for (number, block) in zip(numbers, blocks) { members[block].append(number) }
    let scales = members.map { Self.scale($0, bits: bits) }
    self.scales = scales
    perElement = blocks.map { scales[$0] }
  }

  /// The block of each element.
  private static func blocks(_ shape: [Int], _ blockShape: [Int], _ grid: [Int]) -> [Int] {
    var blocks = [0]
    for axis in shape.indices {
      blocks = blocks.flatMap { block in
        (0..<shape[axis]).map { block * grid[axis] + $0 / blockShape[axis] }
      }
    }
    return blocks
  }

  /// The scale with the least squared error, among some that clip increasingly many values.
  private static func scale(_ numbers: [Float], bits: Int) -> Float {
    let limit = Float(Int32(1) << (bits - 1) - 1)
    let largest = numbers.reduce(0) { max($0, abs($1)) }
    // Error feedback needs a nonzero step even if all values are 0.
    guard largest > 0 else { return 1 }
    let fullScale = largest / limit
    guard fullScale >= Float.leastNormalMagnitude else { return Float.leastNormalMagnitude }
    var best = (scale: fullScale, loss: Float.infinity)
    for fraction in stride(from: Float(1), to: 0.4, by: -0.02) {
      let scale = fullScale * fraction
      let loss = numbers.reduce(Float(0)) { sum, number in
        let integer = max(-limit, min(limit, (number / scale).rounded()))
        let error = number - integer * scale
        return sum + error * error
      }
      if loss < best.loss { best = (scale, loss) }
    }
    return best.scale
  }
}
