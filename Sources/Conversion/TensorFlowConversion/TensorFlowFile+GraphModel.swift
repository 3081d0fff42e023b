import Bytes
import ConversionCore
import GraphIR
import KerasFormat
import TensorFlowFormat

extension TensorFlowFile {
  /// Opens a graph model of TensorFlow.js: its constants are in files next to it.
  static func graphModel(
    _ store: ByteStore, path: String
  ) throws(WeighbridgeError) -> TensorFlowFile {
    let model = try TensorFlowJSGraphModel(store, path: path)
    var signatures = model.signatures
    if signatures.isEmpty { signatures = [TensorFlowSignature(of: model.graph)] }
    return TensorFlowFile(
      formatName: "tensorflow.js", graph: model.graph, signatures: signatures,
      context: TensorFlowContext(store: store) { (name) throws(WeighbridgeError) in
        let (weight, store, range) = try model.elements(of: name)
        return try Tensor(
          weight.elementType, shape: weight.shape, store: store, range: range)
      },
      weights: model.weights.map { ($0.name, TensorType($0.elementType, $0.shape)) },
      otherFiles: model.files)
  }
}
