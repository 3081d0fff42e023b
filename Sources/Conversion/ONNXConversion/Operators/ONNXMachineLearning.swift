import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The operators for traditional machine learning that are used with neural networks: before them
/// to scale features, and after them to select the class.
enum ONNXMachineLearning: ONNXFamily {
  /// The domain of the operators.
  static let domain = "ai.onnx.ml"

  static let nodes: [String: ONNXLayer.Build] = [
    "ArrayFeatureExtractor": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      // A list is treated as a table of one row.
      let table = layer.type(input).rank == 1 ? try layer.aligned([input, layer.row])[0] : input
      let list = try layer.apply(ReshapeAxes([.rest]), to: indices, role: "indices")
      return [try layer.apply(Gather(axis: layer.type(table).rank - 1), to: table, list)]
    },
    "Scaler": { (layer) throws(WeighbridgeError) in
      guard let offset = try layer.floats("offset"), let scale = try layer.floats("scale") else {
        throw layer.malformed("has no offset or no scale, and a Scaler needs both")
      }
      var input = try layer.input()
      if layer.type(input).elementType != .float32 {
        input = try layer.apply(Cast(to: .float32), to: input, role: "cast")
      }
      let offsets = layer.newConstant(Tensor(.float32, shape: [offset.count], offset), "offset")
      let scales = layer.newConstant(Tensor(.float32, shape: [scale.count], scale), "scale")
      let centered = try layer.apply(
        Subtract(), try layer.aligned([input, offsets]), role: "centered")[0]
      return try layer.apply(Multiply(), try layer.aligned([centered, scales]))
    },
    "ZipMap": { (layer) throws(WeighbridgeError) in
      let numbers = try layer.integers("classlabels_int64s")?.map(String.init)
      let labels = try layer.strings("classlabels_strings") ?? numbers ?? []
      let input = try layer.input()
      let listed = labels.prefix(20).joined(separator: ", ") + (labels.count > 20 ? ", ..." : "")
      layer.network.decide(
        layer.source.layer,
        "the maps \(layer.node.outputs.first ?? "") are given as a table with a column for each class, "
          + "in this order: \(listed)")
      return [try layer.apply(Identity(), to: input)]
    },
  ]
}

extension ONNXLayer {
  /// A tensor of two axes; a list that is aligned with it becomes a row.
  fileprivate var row: ONNXValue { newConstant(Tensor(.bool, shape: [1, 1], [1]), "row") }
}
