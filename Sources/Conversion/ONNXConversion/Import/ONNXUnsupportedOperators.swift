import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The operators of a file that cannot be read, and what the user can do about them.
struct ONNXUnsupportedOperators {
  /// The number of nodes of each operator that cannot be read.
  private let counts: [ONNXOutline.Operator: Int]

  /// - Parameter counts: The number of nodes of each operator of the file.
  init(_ counts: [ONNXOutline.Operator: Int]) {
    self.counts = counts.filter { ONNXOperators.builder($0.key) == nil }
  }

  /// Refuses a file with operators outside ONNX's own domain, before anything else in it is
  /// examined.
  static func checkDomains(_ outline: ONNXOutline) throws(WeighbridgeError) {
    let operators = Self(outline.counts)
    guard operators.counts.keys.contains(where: { !$0.domain.isEmpty }) else { return }
    try operators.check()
  }

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all operators that cannot be read.
  func check() throws(WeighbridgeError) {
    guard !counts.isEmpty else { return }
    let list = counts.sorted { $0.key < $1.key }.prefix(40).map { kind, count in
      count == 1 ? kind.fullName : "\(kind.fullName) (\(count) times)"
    }
    let count = counts.count == 1 ? "an operator" : "\(counts.count) operators"
    let domains = Set(counts.keys.map(\.domain)).sorted()
    let reason =
      ["uses \(count) that cannot be read: \(list.joined(separator: ", "))"]
      + domains.compactMap(explanation)
    throw .unsupported(reason.joined(separator: ". "))
  }

  /// Returns what an operator domain is for, and what to do with a file that uses it.
  private func explanation(_ domain: String) -> String? {
    switch domain {
    case "": return nil
    case ONNXMachineLearning.domain:
      return "\(domain) is traditional machine learning\(models), which is no neural network; "
        + "onnxruntime runs the file as it is"
    case ONNXRuntimeQuantization.domain, "com.microsoft.nchwc", "com.ms.internal.nhwc":
      return
        "\(domain) is onnxruntime's own: its optimizer and its quantizer put these operators in "
        + "place of ONNX's. Use the file from before that step"
    case "ai.onnx.contrib", "com.microsoft.extensions":
      return
        "\(domain) is onnxruntime-extensions, for what is done before and after a model, such as "
        + "splitting text into tokens. Export the model without these steps"
    case "org.pytorch.aten", "aten", "prim":
      return
        "\(domain) is PyTorch's own: its exporter had no ONNX operator for them. Export the model "
        + "again with a later opset_version or a later PyTorch"
    default:
      return
        "\(domain) is no part of ONNX: the operators are custom ones, which only their author "
        + "knows"
    }
  }

  /// The kinds of models of traditional machine learning, in parentheses; empty if there are none.
  private var models: String {
    let kinds = [
      ("TreeEnsemble", "a tree ensemble"), ("SVM", "a support vector machine"),
      ("Linear", "a linear model"),
    ].filter { kind in counts.keys.contains { $0.name.hasPrefix(kind.0) } }
    return kinds.isEmpty ? "" : " (here \(kinds.map(\.1).joined(separator: " and ")))"
  }
}

extension ONNXNode {
  /// The operator by domain and name.
  var kind: ONNXOutline.Operator { .init(domain: domain, name: operation, overload: overload) }
}

extension ONNXGraph {
  /// The number of nodes of each operator, including those in bodies, except the branches of an
  /// `If`, one of which will not run.
  var operatorCounts: [ONNXOutline.Operator: Int] {
    var counts: [ONNXOutline.Operator: Int] = [:]
    var graphs = [self]
    while let graph = graphs.popLast() {
      for node in graph.nodes {
        counts[node.kind, default: 0] += 1
        if node.kind == .init(domain: "", name: "If") { continue }
        for case (_, .graph(let body)) in node.attributes { graphs.append(body) }
      }
    }
    return counts
  }
}
