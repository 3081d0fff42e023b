import ConversionCore
import GraphIR
import LayerCatalog

/// An axis of Core ML's tensors, which have up to five. One of fewer axes has the last ones: of two
/// axes, the first is the height (`NeuralNetwork.proto`, the comment at its beginning).
enum CoreMLAxis: Int, CaseIterable, Comparable {
  case sequence, batch, channel, height, width

  static func < (first: CoreMLAxis, second: CoreMLAxis) -> Bool {
    first.rawValue < second.rawValue
  }

  /// The axes of a tensor of so many; at most five.
  static func last(_ rank: Int) -> [CoreMLAxis] { Array(allCases.suffix(rank)) }

  /// An image's, in the order of channels-first operators.
  static let image: [CoreMLAxis] = [.batch, .channel, .height, .width]
}

/// A tensor of a Core ML network while it becomes a graph.
struct CoreMLBlob {
  /// The tensor in the graph.
  let value: ValueID
  /// Which of Core ML's axes the value has, in its order. The others of ``rank`` are 1 long.
  let axes: [CoreMLAxis]
  /// How many axes the tensor has for Core ML: 5 wherever the network says nothing else.
  let rank: Int

  /// A tensor with all its axes.
  init(_ value: ValueID, rank: Int) { self.init(value, CoreMLAxis.last(rank), rank: rank) }

  /// A tensor without some axes, which are 1 long.
  init(_ value: ValueID, _ axes: [CoreMLAxis], rank: Int) {
    self.value = value
    self.axes = axes
    self.rank = rank
  }

  /// All axes that it has for Core ML.
  var allAxes: [CoreMLAxis] { CoreMLAxis.last(rank) }

  /// The axis that a number means; a negative one counts from the last.
  func axis(_ number: Int) -> CoreMLAxis? {
    let position = number < 0 ? number + rank : number
    return (0..<rank).contains(position) ? allAxes[position] : nil
  }
}
