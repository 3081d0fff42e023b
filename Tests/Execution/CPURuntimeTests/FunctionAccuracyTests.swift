import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// Functions of each element on numbers of every size, against NumPy in float64
/// (Samples/Functions/record.py).
@Suite struct FunctionAccuracyTests {
  private static let recorded = Paths.sample("Functions/functions.npz")

  /// The operators by the names of the recorded results.
  private static let operators: [String: any CatalogOperator] = [
    "tanh": Tanh(), "sigmoid": Sigmoid(), "softplus": Softplus(), "log_sigmoid": LogSigmoid(),
    "elu": ELU(alpha: 1), "elu_0.3": ELU(alpha: 0.3), "celu_0.3": CELU(alpha: 0.3), "selu": SELU(),
    "swish": Swish(), "mish": Mish(), "gelu": GELU(isApproximate: false),
    "gelu_tanh": GELU(isApproximate: true), "hard_swish": HardSwish(),
    "hard_sigmoid": HardSigmoid(slope: 1 / 6, offset: 0.5), "softsign": Softsign(),
    "exponential": Exponential(), "relu": ReLU(slope: 0, threshold: 0, maximum: nil),
    "leaky_relu_0.2": LeakyReLU(slope: 0.2), "relu_6": ReLU(slope: 0, threshold: 0, maximum: 6),
  ]

  /// The allowed distance in units in the last place where it is not 6.
  private static let limits = [
    // The normal distribution's tail and the rounding of x.
    "gelu": 10.0,
    // The argument of the exponential function, which is up to 100, is rounded to float32.
    "gelu_tanh": 200,
  ]

  /// Sums whose terms cancel each other: the allowed distance is that of the terms.
  private static let terms = ["hard_sigmoid": 0.5]

  static let names = (try? ArrayFile.read(recorded).map(\.name).filter { $0 != "x" }) ?? []

  private static func operation(_ name: String) throws -> any CatalogOperator {
    if let operation = operators[name] { return operation }
    let function = name.split(separator: " ").last.flatMap {
      UnaryMath.Function(rawValue: String($0))
    }
    return UnaryMath(try #require(function, "\(name) is no function"))
  }

  @Test("Every operator of this suite was recorded")
  func recordedNames() {
    #expect(Self.names.count >= 47 && Set(Self.names).isSuperset(of: Self.operators.keys))
  }

  @Test(
    "Both engines compute a function within a few units in the last place of float32",
    arguments: names)
  func accuracy(_ name: String) throws {
    let arrays = try ArrayFile.read(Self.recorded)
    let numbers = try #require(arrays.first { $0.name == "x" }).tensor.doubles
    let expected = try #require(arrays.first { $0.name == name }).tensor.doubles
    let results = try results(of: try Self.operation(name), numbers)
    for (engine, result) in zip(["reference", "cpu"], results) {
      for ((number, actual), expected) in zip(zip(numbers, result.floats), expected) {
        #expect(
          isClose(actual, expected, at: number, name), "\(engine): \(actual) at \(number)")
      }
    }
  }

  /// The results of the reference engine and of the CPU engine.
  private func results(
    of operation: some Operator, _ numbers: [Double]
  ) throws -> [Tensor] {
    var builder = GraphBuilder()
    let type = TensorType(.float32, [1, .fixed(numbers.count)])
    let input = try builder.addInput("x", type)
    let output = try builder.addNode(
      operation, named: "y", inputs: [input],
      source: SourceScope(layer: "y", className: operation.kind))
    let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
    let x = Tensor(.float32, shape: [1, numbers.count], numbers)
    let workers = Workers(count: 2)
    return [
      try ReferenceRuntime(workers: workers).run(graph, inputs: [x]) { _ in }[0],
      try CompiledGraph(graph, CPURuntime.Options(workers: workers)).run([x])[0],
    ]
  }

  /// As TensorFlow 2.21 computes `keras.ops.elu(x, alpha)` and `keras.ops.selu(x)`.
  @Test("What is zero has the sign of its input", arguments: ["elu_0", "elu_2", "selu"])
  func signsOfZero(_ name: String) throws {
    let operations: [String: any CatalogOperator] = [
      "elu_0": ELU(alpha: 0), "elu_2": ELU(alpha: 2), "selu": SELU(),
    ]
    let operation = try #require(operations[name])
    let results = try results(of: operation, [-0.0, 0, -0.5, 0.5])
    #expect(
      results.map { $0.floats.map(\.sign) } == [
        [.minus, .plus, .minus, .plus], [.minus, .plus, .minus, .plus],
      ])
    if name == "elu_0" { #expect(results.allSatisfy { $0.floats[2] == 0 }) }
  }

  private func isClose(_ actual: Float, _ expected: Double, at x: Double, _ name: String) -> Bool {
    let nearest = Float(expected)
    guard nearest.isFinite else { return actual == nearest || actual.isNaN && nearest.isNaN }
    // A factor below the normal numbers has an error of up to half the smallest number.
    let smallest = Double(Float.leastNonzeroMagnitude) * max(1, x.isFinite ? abs(x) : 1)
    let unit = max(Double(nearest.ulp), smallest, Double(Float(Self.terms[name] ?? 0).ulp))
    return abs(Double(actual) - expected) <= (Self.limits[name] ?? 6) * unit
  }
}
