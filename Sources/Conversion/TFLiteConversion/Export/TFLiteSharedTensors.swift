import Bytes
import GraphIR
import TFLiteFormat

/// The operators of a graph, with copies of tensors that an interpreter would write over too early.
///
/// Since TensorFlow 2.12 (`arena_planner.cc`, `IdentifyInPlaceTensors`), a reshaped tensor has the
/// memory of its source, and an operator may write its result over its input. That needs an input
/// with one reader, and one reader of the tensor whose memory it is. Those in between are not looked
/// at: of `a`, its reshaped form `b` and the reshaped form `c` of that, a sum that takes `c` is
/// written over `b`, whoever reads `b` afterwards.
struct TFLiteSharedTensors {
  private(set) var nodes: [TFLiteNode] = []
  private(set) var builder: TFLiteBuilder
  private let outputs: Set<String>
  /// The operators by what they give, and the number of readers of each tensor.
  private var producers: [String: TFLiteNode] = [:]
  private var readers: [String: Int] = [:]

  /// Operators whose results have the memory of their input.
  private static let reshaping: Set<TFLiteBuiltin> = [.expandDims, .reshape, .squeeze]
  /// Operators that need all of their input for each number, and have memory of their own.
  private static let copying: Set<TFLiteBuiltin> = [
    .averagePool2D, .batchMatMul, .conv2D, .depthwiseConv2D, .fullyConnected, .gather, .maxPool2D,
    .transpose,
  ]

  /// - Parameter outputs: The names of tensors that are read at the end.
  init(_ nodes: [TFLiteNode], _ builder: TFLiteBuilder, _ outputs: [String]) {
    self.builder = builder
    self.outputs = Set(outputs)
    for name in nodes.flatMap(\.inputs) + outputs { readers[name, default: 0] += 1 }
    for node in nodes {
      for name in node.outputs { producers[name] = node }
    }
    for var node in nodes {
      for (position, name) in node.inputs.enumerated()
      where mayWrite(node, over: name) && isEndangered(name) {
        guard let copy = self.builder.copy(of: name) else { continue }
        self.nodes.append(copy)
        node.inputs[position] = copy.outputs[0]
      }
      self.nodes.append(node)
    }
  }

  /// Whether the result of an operator may have the memory of an input. What is read at the end has
  /// its own.
  private func mayWrite(_ node: TFLiteNode, over name: String) -> Bool {
    let sizes = [node.outputs[0], name].map { builder.types[$0]?.elementType.byteCount }
    return sizes[0] == sizes[1] && !outputs.contains(node.outputs[0])
      && !Self.reshaping.contains(node.builtin) && !Self.copying.contains(node.builtin)
  }

  /// Whether an operator that reads a tensor may write over another one that has more readers.
  private func isEndangered(_ name: String) -> Bool {
    guard readers[name] == 1 else { return false }
    var (source, hasReaders) = (name, false)
    while !outputs.contains(source), let node = producers[source],
      Self.reshaping.contains(node.builtin), producers[node.inputs[0]] != nil
    {
      source = node.inputs[0]
      hasReaders = hasReaders || readers[source, default: 0] > 1
    }
    let isFirst = producers[source].map { Self.copying.contains($0.builtin) } ?? true
    return hasReaders && !(isFirst && readers[source, default: 0] > 1)
  }
}
