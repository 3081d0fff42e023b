import Bytes
import TensorEncoding

extension WBMCompaction {
  /// Checks that losses are finite and non-negative, and belong to outputs and encoded tensors of
  /// the file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func checkRules(_ header: WBMHeader) throws(WeighbridgeError) {
    try Names.check(outputs.map(\.output), of: "outputs of the compaction")
    try Names.check(
      outputs.map(\.output), areAmong: header.graph.outputs.map(\.name), inOrderOf: "output")
    let losses = outputs.flatMap { [$0.worst, $0.mean, $0.bound] } + weights.map(\.error)
    guard losses.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
      throw WBMHeader.malformed("a loss of the compaction is negative or not finite")
    }
    var last = -1
    for loss in weights {
      guard loss.tensor > last, header.tensors.indices.contains(loss.tensor),
        header.tensors[loss.tensor].encoding != .plain
      else {
        throw WBMHeader.malformed(
          "the compaction has a loss of tensor #\(loss.tensor), which is plain or out of order")
      }
      last = loss.tensor
    }
    if let answers, answers.kept > answers.total {
      throw WBMHeader.malformed(
        "\(answers.kept) of \(answers.total) answers are kept, expected "
          + "at most all")
    }
  }
}
