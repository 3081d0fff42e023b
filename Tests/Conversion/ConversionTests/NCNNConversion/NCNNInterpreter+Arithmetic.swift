import Bytes
import GraphIR
import LayerCatalog
import NCNNFormat

/// Functions of elements, sums, and what only moves elements.
extension NCNNLayerCall {
  /// The operator that a function of each element is.
  var elementwise: (any CatalogOperator)? {
    switch layer.type {
    case "CELU": CELU(alpha: float(0, default: 1))
    case "Clip": Clip(minimum: float(0, default: -.infinity), maximum: float(1, default: .infinity))
    case "ELU": ELU(alpha: float(0, default: 0.1))
    case "Erf": UnaryMath(.errorFunction)
    case "GELU": GELU(isApproximate: integer(0) == 1)
    case "HardSigmoid": HardSigmoid(slope: float(0, default: 0.2), offset: float(1, default: 0.5))
    case "Mish": Mish()
    case "ReLU": LeakyReLU(slope: float(0))
    case "SELU": SELU()
    case "Sigmoid": Sigmoid()
    case "Swish": Swish()
    case "TanH": Tanh()
    case "UnaryOp": Self.functions[integer(0)]
    default: nil
    }
  }

  /// The functions of `UnaryOp`.
  private static let functions: [any CatalogOperator] =
    [
      .absolute, .negative, .floor, .ceiling, .square, .squareRoot, .reciprocalSquareRoot,
    ].map { UnaryMath($0) } + [Exponential()]
    + [
      .logarithm, .sine, .cosine, .tangent, .arcSine, .arcCosine, .arcTangent, .reciprocal,
    ].map { UnaryMath($0) } + [Tanh()]
    + [.logarithm10, .round, .truncate].map { UnaryMath($0) }

  /// Functions with a formula of ncnn's own, of two blobs, and sums along axes.
  func arithmetic() throws -> Tensor? {
    switch layer.type {
    case "BinaryOp": return try binary()
    case "HardSwish":
      let (slope, offset) = (float(0, default: 0.2), float(1, default: 0.5))
      return map { $0 * min(1, max(0, slope * $0 + offset)) }
    case "Shrink":
      let (bias, limit) = (float(0), float(1, default: 0.5))
      return map { $0 < -limit ? $0 + bias : $0 > limit ? $0 - bias : $0.isNaN ? $0 : 0 }
    case "Threshold": return map { $0 > float(0) ? 1 : 0 }
    case "CumulativeSum":
      return try evaluate(
        CumSum(axis: integer(0), isExclusive: false, isReversed: false, overflow: nil), [x])[0]
    case "Softmax": return try evaluate(Softmax(axes: [integer(0)]), [x])[0]
    case "Reduction":
      let functions: [Reduce.Function?] = [.sum, nil, nil, .mean, .maximum, .minimum, .product]
      guard let function = functions[integer(0)], integer(1, default: 1) == 0, integer(4) == 1
      else { return nil }
      return try evaluate(Reduce(function, axes: integers(3), keepDims: true), [x])[0]
    default: return nil
    }
  }

  private func map(_ function: (Double) -> Double) -> Tensor {
    Tensor(.float32, shape: x.shape, x.doubles.map(function))
  }

  private func binary() throws -> Tensor? {
    let operations: [any CatalogOperator] = [
      Add(), Subtract(), Multiply(), BinaryMath(.divide), Maximum(), Minimum(), BinaryMath(.power),
      Subtract(), BinaryMath(.divide),
    ]
    let scalar = Tensor(.float32, shape: x.shape.map { _ in 1 }, [float(2)])
    let operands = [x, integer(1) == 1 ? scalar : inputs[1]]
    return try evaluate(
      operations[integer(0)], integer(0) >= 7 ? operands.reversed() : operands)[0]
  }

  /// Layers that only move elements.
  func moved() throws -> Tensor? {
    switch layer.type {
    case "Concat": return try evaluate(Concatenate(axis: integer(0)), inputs)[0]
    case "Crop":
      let ends = zip(integers(9), integers(10))
      let ranges = zip(integers(11), ends).map {
        Slice.Range(axis: $0, start: $1.0, stop: $1.1, step: 1)
      }
      return try evaluate(Slice(ranges), [x])[0]
    case "Flip": return x.reversed(along: integers(0)).contiguous()
    case "MemoryData": return weights[0].reshaped(sizes.map { $0 ?? 1 })
    case "Padding": return try padded()
    case "Permute": return x.permuted(Self.orders(of: x.shape.count)[integer(0)]).contiguous()
    case "PixelShuffle", "Reorg":
      guard integer(1) == 1 else { return nil }
      let isReorg = layer.type == "Reorg"
      return isReorg
        ? try batched(SpaceToDepth(block: integer(0), layout: .channelsFirst))
        : try batched(DepthToSpace(block: integer(0), layout: .channelsFirst))
    case "Reshape":
      let known = sizes.compactMap { $0 }.reduce(1, *)
      return x.contiguous().reshaped(sizes.map { $0 ?? x.count / max(1, known) })
    case "Tile":
      var counts = x.shape.map { _ in 1 }
      counts[integer(0)] = integer(1, default: 1)
      return try evaluate(Tile(counts: counts), [x])[0]
    default: return nil
    }
  }

  /// The sizes of `MemoryData` and `Reshape`, outermost first; `nil` for one that follows from the
  /// number of elements.
  private var sizes: [Int?] {
    [2, 11, 1, 0].compactMap { layer.parameters[$0] == nil ? nil : integer($0) }
      .map { $0 == -1 ? nil : $0 }
  }

  private func padded() throws -> Tensor {
    let borders = [(7, 8), (0, 1), (2, 3)].suffix(x.shape.count).map { (integer($0), integer($1)) }
    let outer = [(Int, Int)](repeating: (0, 0), count: max(0, x.shape.count - 3))
    let modes = [Pad.Mode.constant, .edge, .reflect]
    let pad = Pad(
      before: (outer + borders).map(\.0), after: (outer + borders).map(\.1),
      mode: modes[integer(4)], value: float(5))
    return try evaluate(pad, [x])[0]
  }

  /// The orders of axes that `Permute` numbers. Its table counts the axes from the innermost one,
  /// and takes all orders of the three innermost remaining axes before it exchanges the outermost.
  private static func orders(of rank: Int) -> [[Int]] {
    let small = [[[0]], [[0, 1], [1, 0]]]
    let triples = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]]
    let innermostFirst: [[Int]]
    switch rank {
    case 1, 2: innermostFirst = small[rank - 1]
    case 3: innermostFirst = triples
    default:
      innermostFirst = [3, 2, 1, 0].flatMap { last in
        let others = (0..<4).filter { $0 != last }
        return triples.map { triple in triple.map { others[$0] } + [last] }
      }
    }
    return innermostFirst.map { order in order.reversed().map { rank - 1 - $0 } }
  }
}
