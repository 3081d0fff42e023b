import CoreMLConversion
import DarknetConversion
import KerasConversion
import NCNNConversion
import ONNXConversion
import PyTorchConversion
import TFLiteConversion

/// The export formats that support an operator, for tables.
enum ExportSupport {
  /// Returns the formats for an operator kind, or the reason why there are none.
  static func formats(_ kind: String) -> String {
    var formats: [String] = []
    let refusal = ONNXOperators.refusal(of: kind)
    if refusal == nil { formats.append("ONNX") }
    if CoreMLOperators.refusal(of: kind) == nil { formats.append("Core ML") }
    if KerasOperators.refusal(of: kind) == nil { formats.append("Keras") }
    if DarknetOperators.refusal(of: kind) == nil { formats.append("darknet") }
    if NCNNOperators.refusal(of: kind) == nil { formats.append("ncnn") }
    if PyTorchOperators.refusal(of: kind) == nil { formats.append("PyTorch") }
    if TFLiteOperators.refusal(of: kind) == nil { formats.append("TFLite") }
    return formats.isEmpty ? "none: \(refusal ?? "")" : formats.joined(separator: ", ")
  }
}
