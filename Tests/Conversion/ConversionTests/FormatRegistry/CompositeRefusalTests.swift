import CoreMLConversion
import GraphIR
import KerasConversion
import LayerCatalog
import NCNNConversion
import ONNXConversion
import PyTorchConversion
import TFLiteConversion
import Testing
import _CatalogTesting

/// Targets that refuse a composite operator instead of writing its decomposition.
@Suite struct CompositeRefusalTests {
  /// A target's reason to refuse an operator of a kind.
  private typealias Refusal = @Sendable (String) -> String?

  private static let targets: [(name: String, refusal: Refusal)] = [
    ("onnx", ONNXOperators.refusal(of:)), ("coreml", CoreMLOperators.refusal(of:)),
    ("mlpackage", MILOperators.refusal(of:)), ("keras", KerasOperators.refusal(of:)),
    ("ncnn", NCNNOperators.refusal(of:)),
    ("tflite", TFLiteOperators.refusal(of:)), ("pytorch", PyTorchOperators.refusal(of:)),
  ]

  /// The refused kinds; their rows say why.
  private static let refused: [String: Set<String>] = [
    "coreml": ["locally_connected", "stft"], "keras": ["locally_connected"],
    "ncnn": [
      "auto_contrast", "category_encoding", "discretization", "locally_connected", "masking",
      "one_hot", "stft",
    ],
  ]

  @Test("Only these targets refuse a composite operator")
  func refusals() {
    let examples = Dictionary(grouping: OperatorExample.all, by: { $0.operation.kind })
    let composites = examples.filter { $1.allSatisfy { !$0.operation.isPrimitive } }.keys
    #expect(composites.count >= 60)
    for (name, refusal) in Self.targets {
      let kinds = Set(composites.filter { refusal($0) != nil })
      #expect(kinds == Self.refused[name] ?? [], "\(name)")
    }
  }
}
