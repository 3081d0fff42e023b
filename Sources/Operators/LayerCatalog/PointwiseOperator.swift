package import Bytes
import GraphIR

/// Computes a list of elements from equally long lists, each from those at the same position.
/// Booleans are 0 and 1.
package typealias PointwiseFunction = @Sendable (_ operands: [[Double]]) -> [Double]

/// An operator that computes each element of its output from those at the same position of its
/// inputs, which are broadcast.
package protocol PointwiseOperator: CatalogOperator {
  /// The computation of floating-point numbers and booleans.
  ///
  /// - Parameter types: Those of the inputs.
  /// - Returns: `nil` if it depends on the position with these settings.
  func pointwise(_ types: [ElementType]) -> PointwiseFunction?
}

extension PointwiseOperator {
  /// Computes a function of the inputs' elements, each result rounded to the output's type.
  ///
  /// - Parameter overflow: What stands for numbers that do not fit in an integer type.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` if there are such numbers and it is `nil`.
  func evaluate(
    _ inputs: [Tensor], to type: ElementType, overflow: IntegerOverflow? = nil, workers: Workers,
    _ function: PointwiseFunction
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    if type.isInteger {
      let numbers = function(
        try inputs.map { (input) throws(WeighbridgeError) in
          try input.broadcast(to: shape).exactDoubles()
        })
      return [try Tensor(type, shape: shape, numbers, overflow: overflow)]
    }
    let pieces = Pieces(of: shape)
    let operands = inputs.map(pieces.operand)
    return pieces.tensors([type], workers: workers) { index in
      [function(operands.map { pieces.elements(index, of: $0) })]
    }
  }
}

/// Nodes that compute element by element, in order, as one function of several lists.
struct PointwiseProgram: Sendable {
  private enum Row {
    case operand(Int)
    case result(Int)
  }

  /// The values that are computed elsewhere.
  private(set) var operands: [ValueID] = []
  /// The values that are computed.
  private(set) var results: [ValueID] = []
  private var steps: [(function: PointwiseFunction, inputs: [Row])] = []
  private var rows: [ValueID: Row] = [:]

  /// Whether a value is computed here.
  func computes(_ id: ValueID) -> Bool { if case .result = rows[id] { true } else { false } }

  /// Appends a node with one output.
  mutating func append(_ node: Node, _ function: @escaping PointwiseFunction) {
    let inputs = node.inputs.map { id in
      if let row = rows[id] { return row }
      let row = Row.operand(operands.count)
      operands.append(id)
      rows[id] = row
      return row
    }
    rows[node.outputs[0]] = .result(results.count)
    results.append(node.outputs[0])
    steps.append((function, inputs))
  }

  /// Returns the elements of all results.
  ///
  /// - Parameter elements: Those of the operands.
  func callAsFunction(_ elements: [[Double]]) -> [[Double]] {
    var computed: [[Double]] = []
    for step in steps {
      computed.append(
        step.function(
          step.inputs.map {
            switch $0 {
            case .operand(let number): elements[number]
            case .result(let number): computed[number]
            }
          }))
    }
    return computed
  }
}

extension Graph {
  /// The function of a node that computes numbers of float64 and booleans element by element; `nil`
  /// for any other node.
  func pointwiseFunction(of node: Node) -> PointwiseFunction? {
    guard let operation = node.operation as? any PointwiseOperator,
      (node.inputs + node.outputs).allSatisfy({
        [.float64, .bool].contains(self[$0].type.elementType)
      })
    else { return nil }
    return operation.pointwise(node.inputs.map { self[$0].type.elementType })
  }
}
