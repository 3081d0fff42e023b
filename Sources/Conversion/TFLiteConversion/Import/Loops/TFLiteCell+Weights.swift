import Bytes
import GraphIR
import LayerCatalog

extension TFLiteCell {
  /// The constants of all gates.
  struct Bias {
    /// Those that are added to the products with the sequence.
    var input: [Double]?
    /// Those that are added to the products with the state, where these are on their own.
    var state: [Double]?
    let elementType: ElementType

    var kind: RecurrentBias { state != nil ? .separate : input != nil ? .input : .none }

    var tensor: Tensor? {
      guard let state else {
        return input.map { Tensor(elementType, shape: [$0.count], $0) }
      }
      let first = input ?? [Double](repeating: 0, count: state.count)
      return Tensor(elementType, shape: [2, state.count], first + state)
    }

    func adding(_ numbers: [Double]) -> Bias {
      Bias(
        input: input.map { zip($0, numbers).map(+) } ?? numbers, state: state,
        elementType: elementType)
    }
  }

  /// `[gates * units, features]`
  var kernel: Tensor { Self.joined(gates.map(\.kernel)) }

  /// `[gates * units, units]`
  var recurrentKernel: Tensor { Self.joined(gates.map(\.recurrentKernel)) }

  var bias: Bias {
    Bias(
      input: sum(gates.map(\.biases)), state: sum(gates.map(\.stateBiases)),
      elementType: gates[0].kernel.elementType)
  }

  /// The sums of each gate's constants; `nil` when there are none.
  private func sum(_ constants: [[Tensor]]) -> [Double]? {
    guard constants.contains(where: { !$0.isEmpty }) else { return nil }
    return zip(gates, constants).flatMap { gate, constants in
      constants.reduce([Double](repeating: 0, count: gate.kernel.shape[0])) { sum, constant in
        zip(sum, constant.doubles).map(+)
      }
    }
  }

  /// Joins matrices along their first axis.
  private static func joined(_ parts: [Tensor]) -> Tensor {
    Tensor(
      parts[0].elementType, shape: [parts.reduce(0) { $0 + $1.shape[0] }, parts[0].shape[1]],
      parts.flatMap(\.doubles))
  }
}

extension Tensor {
  /// Whether it is the matrix that changes no vector.
  var isIdentity: Bool {
    shape.count == 2 && shape[0] == shape[1]
      && doubles.enumerated().allSatisfy { index, number in
        number == (index / shape[1] == index % shape[1] ? 1 : 0)
      }
  }
}
