import Bytes
import GraphIR
import LayerCatalog

/// A value that nodes round to 8-bit integers and convert back: `y = (q - zero) * scale`, with
/// `q = clamp(round(x / scale) + zero)`, as `QuantizeLinear` and `DequantizeLinear` of ONNX do.
/// The engine passes on the integers instead, where the readers of y compute with them.
struct FakeQuantization: Sendable {
  /// The value that is rounded, x.
  let input: ValueID
  /// The difference that a step of 1 represents.
  let scale: Float
  /// The unsigned integers that represent 0 and NaN; of signed ones, their sums with 128.
  let zeroPoint, nan: UInt8
  /// The positions of the nodes, ascending; the last one makes y.
  let positions: [Int]

  /// The form of the integers in memory.
  func form(channelAxis: Int) -> ReducedForm {
    ReducedForm(self, channelAxis: channelAxis)
  }

  /// All of a graph, by the value y.
  ///
  /// - Parameter types: The types of all values.
  /// - Complexity: Linear in the number of nodes.
  static func all(in graph: Graph, types: [TensorType]) -> [ValueID: FakeQuantization] {
    var makers: [ValueID: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for id in node.outputs { makers[id] = position }
    }
    var found: [ValueID: FakeQuantization] = [:]
    for (position, node) in graph.nodes.enumerated() where node.operation is Multiply {
      var trace = Trace(graph: graph, makers: makers)
      guard let fake = trace.fakeQuantization(endingAt: position),
        let shape = types[fake.input.index].fixedShape, shape.count > 1, !shape.contains(0),
        [node.outputs[0], fake.input].allSatisfy({
          graph[$0].constant == nil && types[$0.index] == TensorType(.float32, shape)
        })
      else { continue }
      found[node.outputs[0]] = fake
    }
    return found
  }

  /// Follows values back to the nodes that make them.
  private struct Trace {
    let graph: Graph
    /// For each value, the position of the node that makes it.
    let makers: [ValueID: Int]
    /// The nodes found so far.
    var positions: [Int] = []

    mutating func fakeQuantization(endingAt position: Int) -> FakeQuantization? {
      guard let output = graph.nodes[position].outputs.first,
        let (_, difference, scale) = pair(Multiply.self, output)
      else { return nil }
      let zero = optionalPair(Subtract.self, difference)
      guard let (widening, integers) = single(Cast.self, zero.value),
        widening.elementType == .float32,
        let (narrowing, bounded) = single(Cast.self, integers),
        let (clip, sum) = single(Clip.self, bounded)
      else { return nil }
      let added = optionalPair(Add.self, sum)
      guard added.number == zero.number,
        let (rounding, quotient) = single(UnaryMath.self, added.value),
        rounding.function == .round,
        let (division, value, divisor) = pair(BinaryMath.self, quotient),
        division.function == .divide, divisor == scale
      else { return nil }
      // NaN becomes 0, whatever else a cast does with what does not fit.
      let lowest: Double
      switch narrowing.elementType {
      case .uint8: lowest = 0
      case .int8: lowest = -128
      default: return nil
      }
      let step = Float(scale)
      guard (clip.minimum, clip.maximum) == (lowest, lowest + 255), step > 0, step.isNormal,
        let zeroPoint = UInt8(exactly: zero.number - lowest)
      else { return nil }
      return FakeQuantization(
        input: value, scale: step, zeroPoint: zeroPoint, nan: UInt8(-lowest),
        positions: positions.sorted())
    }

    /// The operator that makes a value, and its input.
    private mutating func single<Operation: Operator>(
      _ type: Operation.Type, _ id: ValueID
    ) -> (operation: Operation, input: ValueID)? {
      guard let position = makers[id],
        let operation = graph.nodes[position].operation as? Operation
      else { return nil }
      positions.append(position)
      return (operation, graph.nodes[position].inputs[0])
    }

    /// The operator of a value and a constant number that makes a value.
    private mutating func pair<Operation: Operator>(
      _ type: Operation.Type, _ id: ValueID
    ) -> (operation: Operation, input: ValueID, number: Double)? {
      guard let position = makers[id], graph.nodes[position].inputs.count == 2,
        let constant = graph[graph.nodes[position].inputs[1]].constant,
        constant.shape.allSatisfy({ $0 == 1 }), constant.elementType == .float32,
        let (operation, input) = single(type, id)
      else { return nil }
      return (operation, input, constant.doubles[0])
    }

    /// The same, where the operator is left out for the number 0.
    private mutating func optionalPair<Operation: Operator>(
      _ type: Operation.Type, _ id: ValueID
    ) -> (value: ValueID, number: Double) {
      pair(type, id).map { ($0.input, $0.number) } ?? (id, 0)
    }
  }
}
