import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The weights of a model as named arrays for a file.
struct ExportedArrays {
  /// A weight `NAME` is one array of that name. If integers are kept, it is `NAME/quantized` of
  /// int8, uint8 or int16 with `NAME/scale` (and `NAME/zero_point`, `NAME/offset`), or `NAME/codes`
  /// with `NAME/table`, or one array of 16-bit floats. The scales and offsets have the rank of the
  /// weight, with a single element, one for each index along an axis, or one for each block of the
  /// size in `NAME/block_shape`.
  private(set) var arrays: [(name: String, tensor: Tensor)] = []
  private var widened = WidenedWeights()

  /// Descriptions of the weights that take more space than in the model.
  var losses: [String] { widened.losses }

  init(_ graph: Graph, keepsIntegers: Bool) {
    for weight in graph.weights {
      let tensor = weight.tensor
      if keepsIntegers, let quantized = tensor.quantized {
        arrays += quantized.parts(rank: tensor.shape.count).map { ("\(weight.name)/\($0)", $1) }
      } else if keepsIntegers, let half = tensor.storedHalfType {
        arrays.append((weight.name, Tensor(half, shape: tensor.shape, tensor.doubles)))
      } else {
        widened.add(tensor)
        arrays.append((weight.name, tensor))
      }
    }
  }
}

extension QuantizedWeight {
  /// The integers and their parameters (scales, zero points, table), each in an array.
  fileprivate func parts(rank: Int) -> [(name: String, tensor: Tensor)] {
    switch dequantization {
    case .table(let table):
      return [
        ("codes", integers),
        ("table", Tensor(.float32, shape: [table.count], table.map(Double.init))),
      ]
    case .blocks(let shape, let scales):
      return [
        ("quantized", integers), ("scale", scales),
        ("block_shape", Tensor(.int64, shape: [shape.count], shape.map(Double.init))),
      ]
    case .linear(let parameters):
      let all: [(name: String, tensor: Tensor)] = [
        ("quantized", integers),
        ("scale", parameters.array(parameters.scales.map(Double.init), .float32, rank)),
        ("zero_point", parameters.array(parameters.zeroPoints.map(Double.init), .int32, rank)),
        ("offset", parameters.array(parameters.offsets.map(Double.init), .float32, rank)),
      ]
      return all.filter { $0.tensor.count > 0 }
    }
  }
}

extension QuantizedWeight.LinearParameters {
  /// The values along the axis as a tensor of the weight's rank; an empty tensor for no values.
  fileprivate func array(_ values: [Double], _ type: ElementType, _ rank: Int) -> Tensor {
    var shape = [Int](repeating: 1, count: rank)
    if let axis { shape[axis] = values.count }
    return Tensor(type, shape: values.isEmpty ? [0] : shape, values)
  }
}
