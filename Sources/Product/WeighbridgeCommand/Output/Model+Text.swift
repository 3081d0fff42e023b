import Weighbridge

extension Model {
  /// Returns a line with the size of a model written to a file: `x.wbm: 23 nodes, 78,304
  /// parameters, ...`.
  func sizeLine(_ path: String) -> String {
    let (nodes, parameters) = (content.graph.nodes.count, content.graph.parameterCount)
    // The file is in place, so failing to determine its size is not an error.
    let size = (try? MappedFile(path: path).count).map { ", \($0.grouped) bytes" } ?? ""
    return "\(path): \(nodes) node\(nodes == 1 ? "" : "s"), \(parameters.grouped) parameters\(size)"
  }
}
