import Bytes
import GraphIR
import LayerCatalog
import TFLiteFormat

/// A tensor with a place for the output of each step, which the body of a loop fills.
struct TFLiteOutputBuffer {
  /// A list of numbers: one of the step, and the same number for all other axes.
  struct Place {
    let tensor: Int
    /// The number for the other axes.
    let others: Double
    /// Whether it names the place after the step's.
    let isNext: Bool
  }

  /// The tensor of the output that is written.
  let update: Int
  let places: [Place]
  /// The positions of the operators that write it.
  let operators: Set<Int>

  /// - Returns: `nil` when the body does not only write an element to its input.
  init?(_ body: TFLiteFile.Graph, position: Int) {
    guard var (last, writer) = body.writer(of: body.outputs[position]) else { return nil }
    var operators: Set = [last]
    if writer.code.name == "CAST", let input = writer.inputs.first, input >= 0,
      body.tensors[input].type == body.tensors[body.outputs[position]].type,
      let (position, node) = body.writer(of: input)
    {
      (last, writer) = (position, node)  // TensorFlow 2.3 changes the type to what it is
      operators.insert(last)
    }
    let buffer = body.inputs[position]
    switch writer.code.name {
    case "DYNAMIC_UPDATE_SLICE":
      guard writer.inputs.count == 3, writer.inputs[0] == buffer else { return nil }
      update = writer.inputs[1]
      places = [Place(tensor: writer.inputs[2], others: 0, isNext: false)]
    case "CONCATENATION":
      // What is before the step, the step and what is after it.
      guard writer.inputs.count == 3, let before = body.writer(of: writer.inputs[0]),
        let after = body.writer(of: writer.inputs[2]),
        [before, after].allSatisfy({
          $0.node.code.name == "SLICE" && $0.node.inputs.count == 3 && $0.node.inputs[0] == buffer
        })
      else { return nil }
      update = writer.inputs[1]
      places = [
        Place(tensor: before.node.inputs[2], others: -1, isNext: false),
        Place(tensor: after.node.inputs[1], others: 0, isNext: true),
      ]
      bounds = [(before.node.inputs[1], 0), (after.node.inputs[2], -1)]
      operators.formUnion([before.position, after.position])
    default: return nil
    }
    self.operators = operators
    let readers = body.operators.enumerated().filter { $1.inputs.contains(buffer) }
    guard readers.allSatisfy({ operators.contains($0.offset) }) else { return nil }
  }

  /// Tensors of which all elements must be a number.
  private(set) var bounds: [(tensor: Int, number: Double)] = []

  /// The tensors that tell where and what it writes.
  var tensors: [Int] { [update] + places.map(\.tensor) + bounds.map(\.tensor) }

  /// Whether an element along an axis is written, at the place that a counter names.
  ///
  /// - Parameters:
  ///   - counter: The value of the counter in the body.
  ///   - next: Its value for the next step.
  func isWritten(
    _ body: TFLiteLoopGraph, along axis: Int, counter: ValueID, next: ValueID
  ) -> Bool {
    let hasBounds = bounds.allSatisfy { tensor, number in
      body.elements(tensor)?.allSatisfy { $0 == number } == true
    }
    return hasBounds
      && places.allSatisfy { place in
        guard let id = body.results[place.tensor],
          let (join, parts, _) = body.producer(id, Concatenate.self), join.axis == 0
        else { return false }
        var position = 0
        for part in parts {
          if let numbers = body.constant(part) {
            guard numbers.doubles.allSatisfy({ $0 == place.others }),
              position + numbers.count <= axis
                || position > axis
            else { return false }
            position += numbers.count
          } else {
            let expected = place.isNext ? next : counter
            guard position == axis, body.withoutAxes(part) == expected else { return false }
            position += 1
          }
        }
        return position > axis
      }
  }
}

extension TFLiteFile.Graph {
  /// The operator that gives a tensor, and its position.
  func writer(of tensor: Int) -> (position: Int, node: TFLiteFile.Operator)? {
    operators.firstIndex { $0.outputs.contains(tensor) }.map { ($0, operators[$0]) }
  }
}

extension TFLiteLoopGraph {
  /// The elements of a requested result that is constant.
  func elements(_ tensor: Int) -> [Double]? {
    results[tensor].flatMap { constant(withoutAxes($0)) }?.doubles
  }
}
