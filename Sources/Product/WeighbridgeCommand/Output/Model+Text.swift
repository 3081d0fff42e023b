import Bytes
import GraphIR
import Weighbridge

extension Model {
  /// How large the model is that was written to a file: `x.wbm: 23 nodes, 78,304 parameters, ...`.
  func sizeLine(_ path: String) throws(WeighbridgeError) -> String {
    let graph = content.graph
    return "\(path): \(graph.nodes.count) nodes, \(graph.parameterCount.grouped) parameters, "
      + "\(try MappedFile(path: path).count.grouped) bytes"
  }
}
