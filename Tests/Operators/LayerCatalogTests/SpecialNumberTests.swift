import Bytes
import GraphIR
import LayerCatalog
import Testing

@Suite struct SpecialNumberTests {
  private static let elementwise: [any ElementwiseOperator] = [
    CELU(alpha: 1), Clip(minimum: -1, maximum: 1), ELU(alpha: 1), Exponential(),
    GELU(isApproximate: false), GELU(isApproximate: true), HardSigmoid(slope: 0.2, offset: 0.5),
    HardSwish(), Identity(), LeakyReLU(slope: 0.1),
    LogSigmoid(), Mish(), ReLU(slope: 0, threshold: 0, maximum: 6),
    ReLU(slope: 0.1, threshold: 1, maximum: nil), SELU(), Sigmoid(), Softplus(), Softsign(),
    SparsePlus(), Squareplus(smoothness: 4), Swish(), Tanh(), TanhShrink(),
  ]

  private func values(
    of operation: some CatalogOperator, _ numbers: Double...
  ) throws -> [Double] {
    let input = Tensor(.float64, shape: [1, numbers.count], numbers)
    return try operation.evaluate([input], workers: Workers(count: 1))[0].doubles
  }

  @Test("NaN stays NaN")
  func nan() throws {
    for operation in Self.elementwise {
      #expect(try values(of: operation, .nan)[0].isNaN, "\(operation)")
    }
    // Its comparison with the threshold is false.
    #expect(try values(of: HardShrink(threshold: 0.5), .nan) == [0])
    #expect(try values(of: SoftShrink(threshold: 0.5), .nan) == [0])
    let numbers = Tensor(.float64, shape: [1, 2], [.nan, 1])
    let other = Tensor(.float64, shape: [1, 2], [1, .nan])
    for operation in [Maximum(), Minimum()] as [any CatalogOperator] {
      let outputs = try operation.evaluate([numbers, other], workers: Workers(count: 1))
      #expect(outputs[0].doubles.filter(\.isNaN).count == 2)
    }
    let lanewise: [any CatalogOperator] = [
      LogSoftmax(axes: [1]), Softmax(axes: [1]), Sparsemax(axes: [1]),
    ]
    for operation in lanewise {
      let result = try operation.evaluate([numbers], workers: Workers(count: 1))
      #expect(result[0].doubles.filter(\.isNaN).count == 2)
    }
  }

  @Test("Functions with limits reach them at infinity")
  func infinities() throws {
    let infinity = Double.infinity
    let limits: [(any ElementwiseOperator, lower: Double, upper: Double)] = [
      (Sigmoid(), 0, 1), (Tanh(), -1, 1), (Softplus(), 0, infinity),
      (ELU(alpha: 0.5), -0.5, infinity), (ReLU(slope: 0, threshold: 0, maximum: 6), 0, 6),
      (ReLU(slope: 0, threshold: 0.5, maximum: nil), 0, infinity),
      (ReLU(slope: -0.5, threshold: 0, maximum: 1), infinity, 1),
      (HardSigmoid(slope: 0.2, offset: 0.5), 0, 1), (HardMish(), 0, infinity),
      (SparsePlus(), 0, infinity), (Softsign(), .nan, .nan), (TanhShrink(), -infinity, infinity),
      (HardShrink(threshold: 0.5), -infinity, infinity),
      (SoftShrink(threshold: 0.5), -infinity, infinity), (Binarization(), -1, 1),
      (PiecewiseLinear(knots: [0, 1], slopes: [0, 1, 0], value: 0.5), 0.5, 1.5),
      (PiecewiseLinear(knots: [0.5], slopes: [0, 0], value: -2), -2, -2),
      (
        PiecewiseLinear(knots: [0, 1], slopes: [0.001, 1, 0.001], value: 0), -infinity, infinity
      ),
    ]
    for (operation, lower, upper) in limits {
      let actual = try values(of: operation, -infinity, infinity)
      for (actual, limit) in zip(actual, [lower, upper]) {
        #expect(actual == limit || actual.isNaN && limit.isNaN, "\(operation)")
      }
    }
  }

  @Test("Integers of 64 bits are chosen as they are, also those that no float64 is")
  func chosenIntegers() throws {
    let odd: [Int64] = [1 << 62 | 1, -(1 << 61) - 1, .max]
    let condition = Tensor(.bool, shape: [1, 3], [1, 0, 1])
    let values = [Tensor(wrapping: .int64, shape: [1, 3], odd)]
    let others = [Tensor(wrapping: .int64, shape: [1, 3], odd.map { 0 &- $0 })]
    let chosen = try Where().evaluate(
      [condition] + values + others, workers: Workers(count: 1))
    #expect(chosen[0].wrappedIntegers == [odd[0], -odd[1], odd[2]])
  }

  @Test("A softmax of large numbers is a softmax")
  func largeNumbers() throws {
    let numbers = Tensor(.float64, shape: [1, 3], [1000, 1000, -.infinity])
    let softmax = try Softmax(axes: [1]).evaluate([numbers], workers: Workers(count: 1))
    #expect(softmax[0].doubles == [0.5, 0.5, 0])
    let two = Tensor(.float64, shape: [1, 2], [-2000, -2000])
    let logarithm = try LogSoftmax(axes: [1]).evaluate([two], workers: Workers(count: 1))
    #expect(abs(logarithm[0].doubles[0] + 0.693147180559945) < 1e-12)
  }

  @Test("The parts of a ReLU meet at its threshold")
  func threshold() throws {
    let relu = ReLU(slope: 0.5, threshold: 1, maximum: 3)
    #expect(try values(of: relu, -1, 0, 1, 1.5, 3, 9) == [-1, -0.5, 0, 1.5, 3, 3])
    #expect(try values(of: ReLU(slope: 0, threshold: 1, maximum: nil), 1) == [0])
  }
}
