import Bytes
import GraphIR

extension Graph {
  /// Returns the graph of a detector's heads before their activation, which is part of the layer
  /// that produces them.
  ///
  /// - Parameter target: The name of the target that takes such heads.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a head is missing;
  ///   ``WeighbridgeError/Code/unsupported`` when its layer reads more than one value.
  func removingActivations(
    ofHeadsOf detector: DetectorDescription, for target: String
  ) throws(WeighbridgeError) -> Graph {
    var heads = try heads(of: detector)
    if !detector.activated.isEmpty {
      heads = try heads.map { (head) throws(WeighbridgeError) in
        try inputOfLayer(producing: head, for: target)
      }
    }
    let ports = zip(detector.outputs, heads).map { Port(name: $0, value: $1) }
    return try GraphCopy(self, for: heads).finish(outputs: ports)
  }

  private func inputOfLayer(
    producing head: ValueID, for target: String
  ) throws(WeighbridgeError) -> ValueID {
    let layer = producers[head].map { nodes[$0].source.callName }
    let parts = nodes.filter { $0.source.callName == layer }
    let produced = Set(parts.flatMap(\.outputs))
    let consumed = Set(parts.flatMap(\.inputs)).subtracting(produced).filter {
      self[$0].constant == nil
    }
    guard consumed.count == 1, let value = consumed.first else {
      throw .unsupported(
        "\(target) takes heads before their activation, and \(layer ?? self[head].name) reads "
          + "\(consumed.count) values, not only the head")
    }
    return value
  }
}
