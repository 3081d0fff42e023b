import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that compute shapes, or make tensors of a shape.
enum TFLiteShapes {
  static let nodes: [String: TFLiteReading] = [
    "BROADCAST_ARGS": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.broadcastSizes(try layer.input(0), try layer.input(1))]
    },
    "FILL": TFLiteReading { (layer) throws(WeighbridgeError) in
      guard let number = try layer.constant(1) else {
        throw layer.malformed("has no number to fill a tensor with, which is its second input")
      }
      return [try layer.filled(with: number, try layer.input(0))]
    },
    "RANGE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (start, end, step) = (try layer.input(0), try layer.input(1), try layer.input(2))
      let type = try layer.outputElementType()
      return [try layer.counted(from: start, to: end, by: step, as: type)]
    },
    "RANK": TFLiteReading { (layer) throws(WeighbridgeError) in
      let rank = layer.type(try layer.input()).rank
      return [.dimensions([.known(rank)], isList: false, as: .int32)]
    },
    "SHAPE": TFLiteReading(options: 55) { (layer) throws(WeighbridgeError) in
      layer.ignore(0)  // the type, which the output's tensor has too
      return [layer.sizes(of: try layer.input(), as: try layer.outputElementType())]
    },
    "ZEROS_LIKE": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.apply(FullLike(value: 0), to: try layer.input())]
    },
  ]
}
