import Bytes
import GraphIR
import LayerCatalog
import Testing

@testable import Compaction

/// The vectors of a layer's inputs times its weight are what the layer computes.
@Suite struct VectorSamplerTests {
  private static func random(_ shape: [Int], seed: UInt64) -> Tensor {
    var generator = SplitMix64(seed: seed)
    return Tensor(
      .float32, shape: shape,
      (0..<shape.reduce(1, *)).map { _ in Double.random(in: -1...1, using: &generator) })
  }

  /// The sorted products of all vectors with the weight, and the layer's sorted outputs.
  private static func compare(
    _ operation: any WeightMultiplyingOperator, _ inputs: [Tensor]
  ) throws -> (products: [Double], outputs: [Double]) {
    let products = operation.weightProducts(inputs.map(\.type))
    let product = try #require(products.first)
    var groups = 1
    if case .windows(_, _, _, let count) = product.vectors { groups = count }
    var sampler = VectorSampler(limit: 1 << 20, generator: SplitMix64(seed: 0))
    let vectors = sampler.sample(inputs[0], product.vectors)
    let weight = CompactableWeight(
      id: ValueID(0), name: "", tensor: inputs[product.weight], outputAxes: product.outputAxes,
      inputAxes: product.inputAxes, groups: groups, sources: [])
    let elements = weight.transposed
    let (rows, columns) = (weight.rows, weight.columns)
    var sums: [Double] = []
    for (group, vectors) in vectors.enumerated() {
      for start in stride(from: 0, to: vectors.count, by: columns) {
        for row in group * rows / groups..<(group + 1) * rows / groups {
          sums.append(
            (0..<columns).reduce(0) {
              $0 + Double(vectors[start + $1]) * Double(elements[$1 * rows + row])
            })
        }
      }
    }
    let outputs = try operation.evaluate(inputs, workers: Workers(count: 1))
    return (sums.sorted(), outputs[0].doubles.sorted())
  }

  private static func expectSame(_ pair: (products: [Double], outputs: [Double])) {
    #expect(pair.products.count == pair.outputs.count)
    for (product, output) in zip(pair.products, pair.outputs) {
      #expect(abs(product - output) < 1e-5)
    }
  }

  @Test(arguments: [1, 2, 4], DataLayout.allCases)
  func `windows of a convolution`(_ groups: Int, _ layout: DataLayout) throws {
    let window = Window(
      size: [3, 2], strides: [2, 1], dilation: [1, 2],
      padding: .explicit(before: [1, 2], after: [0, 1]))
    let shape = layout == .channelsFirst ? [2, 4, 7, 5] : [2, 7, 5, 4]
    Self.expectSame(
      try Self.compare(
        Convolution(window: window, groups: groups, hasBias: false, layout: layout),
        [Self.random(shape, seed: 1), Self.random([8, 4 / groups, 3, 2], seed: 2)]))
  }

  @Test func `rows of a dense layer`() throws {
    Self.expectSame(
      try Self.compare(
        Dense(hasBias: false), [Self.random([2, 3, 5], seed: 1), Self.random([4, 5], seed: 2)]))
  }

  @Test(arguments: [false, true], [false, true])
  func `rows of a product of matrices`(_ isFirstTransposed: Bool, _ isSecondTransposed: Bool) throws
  {
    let operation = MatMul(transposeA: isFirstTransposed, transposeB: isSecondTransposed)
    let first = Self.random(isFirstTransposed ? [2, 5, 3] : [2, 3, 5], seed: 1)
    let second = Self.random(isSecondTransposed ? [1, 4, 5] : [1, 5, 4], seed: 2)
    let products = operation.weightProducts([first.type, second.type])
    let product = try #require(products.first { $0.weight == 1 })
    var sampler = VectorSampler(limit: 100, generator: SplitMix64(seed: 0))
    let vectors = sampler.sample(first, product.vectors)[0]
    let transposed = second.permuted(product.inputAxes + product.outputAxes).doubles
    var sums: [Double] = []
    for start in stride(from: 0, to: vectors.count, by: 5) {
      for row in 0..<4 {
        sums.append(
          (0..<5).reduce(0) { $0 + Double(vectors[start + $1]) * transposed[$1 * 4 + row] })
      }
    }
    let outputs = try operation.evaluate([first, second], workers: Workers(count: 1))
    Self.expectSame((sums.sorted(), outputs[0].doubles.sorted()))
  }

  @Test func `rows of an einsum dense layer`() throws {
    let labels = { (text: String) in try #require(AxisLabels(rawValue: text)) }
    let operation = try EinsumDense(
      input: labels("abcd"), kernel: labels("ebc"), output: labels("ade"), bias: labels(""))
    Self.expectSame(
      try Self.compare(
        operation, [Self.random([2, 3, 4, 5], seed: 1), Self.random([6, 3, 4], seed: 2)]))
  }

  @Test func `a sample of many positions is the same each time`() {
    let tensor = Self.random([100, 3], seed: 3)
    let samples = (0..<2).map { _ in
      var sampler = VectorSampler(limit: 10, generator: SplitMix64(seed: 7))
      return sampler.sample(tensor, .axes(input: 0, [1]))[0]
    }
    #expect(samples[0].count == 30)
    #expect(samples[0] == samples[1])
  }
}
