package import Bytes
package import GraphIR
import LayerCatalog

/// The kinds of a classifier's scores.
public enum ScoreKind: String, Hashable, Sendable, CaseIterable {
  /// Probabilities: 0 to 1, from a softmax or sigmoids.
  case probabilities
  /// Unbounded numbers that a softmax turns into probabilities.
  case logits
  /// The natural logarithms of probabilities.
  case logProbabilities = "log-probabilities"

  /// The key in ``ModelDescription/userDefined`` under which a model states the kind of its scores.
  public static let metadataKey = "class_scores"

  /// Determines the kind from the metadata, or else from the layers before an output.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the metadata states an unknown kind.
  package init(_ graph: Graph, _ description: ModelDescription, _ output: Port)
    throws(WeighbridgeError)
  {
    guard let name = description.userDefined[Self.metadataKey] else {
      self = Self.inferred(graph, output.value)
      return
    }
    guard let kind = ScoreKind(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw .mismatch(
        "the model says that its \(Self.metadataKey) are \(name), not one of \(names)")
    }
    self = kind
  }

  /// Determines the kind from the last activation before a value.
  package static func inferred(_ graph: Graph, _ value: ValueID) -> ScoreKind {
    let producers = graph.producers
    for id in chain(graph, value, producers) {
      switch producers[id].map({ graph.nodes[$0].operation }) {
      case is Softmax, is GroupedSoftmax, is Sigmoid, is HardSigmoid: return .probabilities
      case is LogSoftmax: return .logProbabilities
      case .none, .some: continue
      }
    }
    return .logits
  }

  /// For each output, the values that contain the same scores: the output itself and those before
  /// changes of shape, a softmax or sigmoids.
  package static func chains(_ graph: Graph) -> [[ValueID]] {
    let producers = graph.producers
    return graph.outputs.map { chain(graph, $0.value, producers) }
  }

  /// Returns the scores from which a softmax or sigmoids compute a value.
  ///
  /// - Parameter producers: The node that computes each value.
  package static func scores(_ graph: Graph, _ value: ValueID, _ producers: [ValueID: Int])
    -> ValueID
  {
    chain(graph, value, producers).last ?? value
  }

  /// Returns a value and those before it that contain the same scores, the last first.
  private static func chain(
    _ graph: Graph, _ value: ValueID, _ producers: [ValueID: Int]
  ) -> [ValueID] {
    var chain = [value]
    var last = value
    while let node = producers[last].map({ graph.nodes[$0] }), preservesScores(node.operation),
      let input = node.inputs.first
    {
      chain.append(input)
      last = input
    }
    return chain
  }

  /// Whether an operator preserves the order of the class scores.
  private static func preservesScores(_ operation: any Operator) -> Bool {
    switch operation {
    case is Softmax, is GroupedSoftmax, is LogSoftmax, is Sigmoid, is HardSigmoid: true
    case is Identity, is Reshape, is Squeeze, is ExpandDims, is Transpose, is Cast: true
    case _: false
    }
  }
}
