import Testing

@testable import ModelReport

@Suite struct ValueDistributionTests {
  @Test("Least, largest, mean, deviation and zeros are those of the finite numbers")
  func numbers() {
    let distribution = ValueDistribution([-1, 0, 0, 5, .nan, .infinity], of: 6)
    #expect(distribution.minimum == -1 && distribution.maximum == 5 && distribution.mean == 1)
    #expect(distribution.standardDeviation == 5.5.squareRoot() && distribution.zeroFraction == 0.5)
    #expect(distribution.nonFiniteCount == 2 && !distribution.isSample)
    #expect(distribution.bins.reduce(0, +) == 4)
    #expect(distribution.bins.first == 1 && distribution.bins.last == 1)
  }

  @Test("Histograms accept equal numbers, no numbers, and numbers at the ends of the range")
  func extremes() {
    #expect(ValueDistribution([3, 3, 3], of: 3).bins[ValueDistribution.binCount / 2] == 3)
    #expect(ValueDistribution([], of: 0).bins.allSatisfy { $0 == 0 })
    let most = Double.greatestFiniteMagnitude
    let wide = ValueDistribution([-most, most], of: 4)
    #expect(wide.bins.first == 1 && wide.bins.last == 1 && wide.isSample)
  }

  @Test(
    "Numbers are written with four digits",
    arguments: [
      (0.0, "0"), (1, "1"), (-0.0123456, "-0.01235"), (1234.6, "1235"), (123_456.7, "123457"),
      (3.14159, "3.142"), (1e-5, "1.00e-05"), (9.99999e-9, "1.00e-08"), (1.5e20, "1.50e+20"),
      (1e-300, "1.00e-300"),
    ])
  func digits(number: Double, text: String) {
    #expect(number.fourDigits == text)
  }
}
