import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Numbers that arise inside of models: from logarithms, divisions, powers and large weights.
enum SpecialNumbers {
  /// NaN, infinities, zeros, and numbers whose squares are still finite.
  static let all: [Double] = [.nan, .infinity, -.infinity, 0, -0.0, 1e15, -1e15]

  /// These, the largest and smallest numbers, and those at which functions saturate.
  static let ofFunctions: [Double] =
    all + [
      3e38, -3e38, 1e19, -1e19, 1e-40, -1e-40, 1e-38, 1e4, -1e4, 104.5, -104.5, 89.5, -89.5, 88,
      -88,
      18, -18, 6, -6, 3, -3, 1, -1, 0.5, -0.5, 1e-4, -1e-4,
    ]

  /// Runs a graph on the CPU engine and on the reference; both must give the same, or fail with the
  /// same code.
  ///
  /// - Parameter isWithin: Whether finite numbers agree.
  static func expectAgreement(
    _ graph: Graph, _ engine: CompiledGraph, _ inputs: [Tensor], _ comment: String,
    _ isWithin: (_ actual: Tensor, _ expected: Tensor) -> Bool
  ) throws {
    let expected: [Tensor]
    do {
      expected = try ReferenceRuntime(workers: Workers(count: 2)).run(graph, inputs: inputs) { _ in
      }
    } catch {
      let own = #expect(throws: WeighbridgeError.self, "\(comment)") { try engine.run(inputs) }
      #expect(own?.code == error.code, "\(comment)")
      return
    }
    for (actual, expected) in zip(try engine.run(inputs), expected) {
      #expect(actual.type == expected.type)
      let difference = TensorDifference(actual: actual, expected: expected)
      #expect(
        difference.nonFiniteMismatches == 0 && isWithin(actual, expected),
        "\(comment): \(difference)")
    }
  }

  /// Compares finite numbers one by one.
  static func areClose(_ actual: Tensor, _ expected: Tensor, _ tolerance: Tolerance) -> Bool {
    zip(actual.doubles, expected.doubles).allSatisfy { actual, expected in
      !expected.isFinite
        || abs(actual - expected) <= tolerance.absolute + tolerance.relative * abs(expected)
    }
  }
}

extension GraphBuilder {
  /// Adds a value that is the quotient of two inputs.
  mutating func addQuotient(_ name: String, _ type: TensorType) throws(WeighbridgeError) -> ValueID
  {
    let dividend = try addInput("\(name) dividend", type)
    let divisor = try addInput("\(name) divisor", type)
    return try addNode(
      BinaryMath(.divide), named: "\(name) quotient", inputs: [dividend, divisor],
      source: SourceScope(layer: "quotient", className: "quotient"))[0]
  }
}

extension Tensor {
  /// Two tensors of ordinary numbers whose quotient this is.
  var asQuotient: [Tensor] {
    let pairs = doubles.map { number -> (Double, Double) in
      if number.isNaN { return (0, 0) }
      if number.isInfinite { return (number < 0 ? -1 : 1, 0) }
      if number == 0, number.sign == .minus { return (0, -1) }
      return abs(number) > 1e18 ? (number * 1e-30, 1e-30) : (number, 1)
    }
    return [
      Tensor(elementType, shape: shape, pairs.map(\.0)),
      Tensor(elementType, shape: shape, pairs.map(\.1)),
    ]
  }

  /// The same numbers with another one at an index.
  func setting(_ index: Int, to number: Double) -> Tensor {
    var numbers = doubles
    numbers[index] = number
    return Tensor(elementType, shape: shape, numbers)
  }
}
