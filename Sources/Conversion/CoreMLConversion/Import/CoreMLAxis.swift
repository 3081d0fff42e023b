import ConversionCore
import GraphIR
import LayerCatalog

/// An axis of a Core ML tensor, which has up to five. A tensor of lower rank has the trailing ones:
/// with two axes, the first is the height (`NeuralNetwork.proto`, the comment at its beginning).
enum CoreMLAxis: Int, CaseIterable, Comparable {
  case sequence, batch, channel, height, width

  static func < (lhs: CoreMLAxis, rhs: CoreMLAxis) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The axes of a tensor of a given rank, at most five.
  static func axes(rank: Int) -> [CoreMLAxis] { Array(allCases.suffix(rank)) }

  /// The axes of an image, in the order of channels-first operators.
  static let image: [CoreMLAxis] = [.batch, .channel, .height, .width]
}

/// A tensor of a Core ML network that is being converted to a graph.
struct CoreMLBlob {
  /// The tensor in the graph.
  let value: ValueID
  /// The Core ML axes of the value, in its order. The remaining axes of ``rank`` have size 1.
  let axes: [CoreMLAxis]
  /// The tensor's rank in Core ML: 5 unless the network states another.
  let rank: Int

  /// Creates a tensor whose value has all the axes of its rank.
  init(_ value: ValueID, rank: Int) { self.init(value, CoreMLAxis.axes(rank: rank), rank: rank) }

  /// Creates a tensor whose value lacks some axes, which have size 1.
  init(_ value: ValueID, _ axes: [CoreMLAxis], rank: Int) {
    self.value = value
    self.axes = axes
    self.rank = rank
  }

  /// All axes that it has in Core ML.
  var allAxes: [CoreMLAxis] { CoreMLAxis.axes(rank: rank) }

  /// Returns the axes of the value and another one, in Core ML's order if that is missing.
  func axes(with axis: CoreMLAxis) -> [CoreMLAxis] {
    axes.contains(axis) ? axes : (axes + [axis]).sorted()
  }

  /// Returns a tensor with these axes and another value.
  func withValue(_ value: ValueID) -> CoreMLBlob { CoreMLBlob(value, axes, rank: rank) }
}
