import ConversionCore
import GraphIR
import LayerCatalog

/// An axis of Core ML's tensors, which have up to five. A tensor of lower rank has the last ones:
/// with two axes, the first is the height (`NeuralNetwork.proto`, the comment at its beginning).
enum CoreMLAxis: Int, CaseIterable, Comparable {
  case sequence, batch, channel, height, width

  static func < (first: CoreMLAxis, second: CoreMLAxis) -> Bool {
    first.rawValue < second.rawValue
  }

  /// The axes of a tensor of a rank of at most five.
  static func last(_ rank: Int) -> [CoreMLAxis] { Array(allCases.suffix(rank)) }

  /// The axes of an image, in the order of channels-first operators.
  static let image: [CoreMLAxis] = [.batch, .channel, .height, .width]
}

/// A tensor of a Core ML network that is being converted to a graph.
struct CoreMLBlob {
  /// The tensor in the graph.
  let value: ValueID
  /// The Core ML axes that the value has, in its order. The others of ``rank`` have size 1.
  let axes: [CoreMLAxis]
  /// The tensor's rank in Core ML: 5 unless the network states another.
  let rank: Int

  /// Makes a tensor with all its axes.
  init(_ value: ValueID, rank: Int) { self.init(value, CoreMLAxis.last(rank), rank: rank) }

  /// Makes a tensor without some axes, which have size 1.
  init(_ value: ValueID, _ axes: [CoreMLAxis], rank: Int) {
    self.value = value
    self.axes = axes
    self.rank = rank
  }

  /// All axes that it has in Core ML.
  var allAxes: [CoreMLAxis] { CoreMLAxis.last(rank) }

  /// Returns the axis at an index; a negative one counts from the end.
  func axis(_ number: Int) -> CoreMLAxis? {
    let position = number < 0 ? number + rank : number
    return (0..<rank).contains(position) ? allAxes[position] : nil
  }
}
