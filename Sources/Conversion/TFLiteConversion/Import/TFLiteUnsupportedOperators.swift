import Bytes
import TFLiteFormat

/// The operators of a file that cannot be read, and what the user can do about them.
struct TFLiteUnsupportedOperators {
  /// The number of operators of each kind that cannot be read.
  private var counts: [TFLiteFile.Code: Int] = [:]

  init(_ file: TFLiteFile) {
    for graph in file.graphs {
      for node in graph.operators where Self.problem(of: node.code) != nil {
        counts[node.code, default: 0] += 1
      }
    }
  }

  /// Why an operator cannot be read; `nil` if it can be.
  static func problem(of code: TFLiteFile.Code) -> String? {
    !code.isCustom && TFLiteOperators.entry(code.name) != nil
      ? nil : "the operator \(code.name) cannot be read"
  }

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all operators that cannot be read.
  func check() throws(WeighbridgeError) {
    guard !counts.isEmpty else { return }
    let list = counts.sorted { $0.key.name < $1.key.name }.map { code, count in
      count == 1 ? code.name : "\(code.name) (\(count) times)"
    }
    let count = counts.count == 1 ? "an operator" : "\(counts.count) operators"
    let reasons =
      ["uses \(count) that cannot be read: \(list.joined(separator: ", "))"] + explanations
    throw .unsupported(reasons.joined(separator: ". "))
  }

  private var explanations: [String] {
    let custom = counts.keys.filter(\.isCustom).map(\.name)
    let variables = ["ASSIGN_VARIABLE", "CALL_ONCE", "READ_VARIABLE", "VAR_HANDLE"]
    var reasons: [String] = []
    if custom.contains(where: Self.isFlex) {
      reasons.append(
        "Those that begin with Flex are TensorFlow's own (SELECT_TF_OPS): convert the model with "
          + "built-in operators only")
    }
    if custom.contains(where: { !Self.isFlex($0) }) {
      reasons.append(
        "Custom operators are known only to the application that adds them: convert the model "
          + "without them")
    }
    if counts.keys.contains(where: { variables.contains($0.name) }) {
      reasons.append("Variables keep elements from run to run, and a model here has none")
    }
    return reasons
  }

  private static func isFlex(_ name: String) -> Bool { name.hasPrefix("Flex") }
}
