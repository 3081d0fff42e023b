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

  @Test("NaN stays NaN")
  func nan() throws {
    for operation in Self.elementwise {
      #expect(operation.apply(.nan).isNaN, "\(operation)")
    }
    // Its comparison with the threshold is false.
    #expect(HardShrink(threshold: 0.5).apply(.nan) == 0)
    #expect(SoftShrink(threshold: 0.5).apply(.nan) == 0)
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
  func infinities() {
    let infinity = Double.infinity
    #expect(Sigmoid().apply(-infinity) == 0 && Sigmoid().apply(infinity) == 1)
    #expect(Tanh().apply(-infinity) == -1 && Tanh().apply(infinity) == 1)
    #expect(Softplus().apply(-infinity) == 0 && Softplus().apply(infinity) == infinity)
    #expect(ELU(alpha: 0.5).apply(-infinity) == -0.5)
    let relu = ReLU(slope: 0, threshold: 0, maximum: 6)
    #expect(relu.apply(-infinity) == 0 && relu.apply(infinity) == 6)
    #expect(HardSigmoid(slope: 0.2, offset: 0.5).apply(-infinity) == 0)
    #expect(ReLU(slope: 0, threshold: 0.5, maximum: nil).apply(-infinity) == 0)
    let ramp = PiecewiseLinear(knots: [0, 1], slopes: [0, 1, 0], value: 0.5)
    #expect(ramp.apply(-infinity) == 0.5 && ramp.apply(infinity) == 1.5)
    let leaky = PiecewiseLinear(knots: [0, 1], slopes: [0.001, 1, 0.001], value: 0)
    #expect(leaky.apply(-infinity) == -infinity && leaky.apply(infinity) == infinity)
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
  func threshold() {
    let relu = ReLU(slope: 0.5, threshold: 1, maximum: 3)
    #expect([-1, 0, 1, 1.5, 3, 9].map(relu.apply) == [-1, -0.5, 0, 1.5, 3, 3])
    #expect(ReLU(slope: 0, threshold: 1, maximum: nil).apply(1) == 0)
  }
}
