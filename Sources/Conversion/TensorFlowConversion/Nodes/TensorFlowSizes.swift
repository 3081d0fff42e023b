import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Operators that compute with sizes, or make tensors of a size.
enum TensorFlowSizes {
  static let nodes: TensorFlowOperators.Table = [
    "BroadcastArgs": { (layer) throws(WeighbridgeError) in
      [try layer.broadcastSizes(try layer.input(0), try layer.input(1))]
    },
    "Fill": { (layer) throws(WeighbridgeError) in
      guard let number = try layer.constant(1) else {
        throw layer.malformed("has no number to fill a tensor with, which is its second input")
      }
      return [try layer.filled(with: number, try layer.input(0))]
    },
    "OnesLike": { (layer) throws(WeighbridgeError) in
      [try layer.apply(FullLike(value: 1), to: try layer.input())]
    },
    "Range": { (layer) throws(WeighbridgeError) in
      let values = [try layer.input(0), try layer.input(1), try layer.input(2)]
      let type = layer.type(values[0]).elementType
      return [try layer.counted(from: values[0], to: values[1], by: values[2], as: type)]
    },
    "Rank": { (layer) throws(WeighbridgeError) in
      let rank = layer.type(try layer.input()).rank
      return [.dimensions([.known(rank)], isList: false, as: .int32)]
    },
    "Shape": { (layer) throws(WeighbridgeError) in
      let type = try layer.elementType("out_type", default: .int32)
      return [layer.sizes(of: try layer.input(), as: type)]
    },
    "Size": { (layer) throws(WeighbridgeError) in
      let type = try layer.elementType("out_type", default: .int32)
      let sizes = layer.sizes(of: try layer.input(), as: type).dimensions ?? []
      guard let product = SourceDimension.product(of: sizes) else {
        throw layer.unsupported("counts elements along several axes of unknown size")
      }
      return [.dimensions([product], isList: false, as: type)]
    },
    "ZerosLike": { (layer) throws(WeighbridgeError) in
      [try layer.apply(FullLike(value: 0), to: try layer.input())]
    },
  ]
}
