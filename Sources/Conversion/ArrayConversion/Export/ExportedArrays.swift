import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The weights of a model as the arrays of a file.
struct ExportedArrays {
  /// A weight `NAME` is one array of that name. Where integers are kept, it is either
  /// `NAME/quantized` of int8, uint8 or int16 with `NAME/scale` (and `NAME/zero_point`,
  /// `NAME/offset`); or `NAME/codes` with `NAME/table`; or one array of 16 bits. The scales and
  /// offsets have the rank of the weight, with one element in all, one for each index along an
  /// axis, or one for each block of the size in `NAME/block_shape`.
  private(set) var arrays: [(name: String, tensor: Tensor)] = []
  private var widened = WidenedWeights()

  /// The weights that take more space than in the model, in words.
  var losses: [String] { widened.losses }

  init(_ graph: Graph, keepsIntegers: Bool) {
    for weight in graph.weights {
      let tensor = weight.tensor
      if keepsIntegers, let quantized = tensor.quantized {
        arrays += quantized.parts(rank: tensor.shape.count).map { ("\(weight.name)/\($0)", $1) }
      } else if keepsIntegers, let half = tensor.storedHalf {
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
    switch meaning {
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
    case .linear(let line):
      let all: [(name: String, tensor: Tensor)] = [
        ("quantized", integers),
        ("scale", line.array(line.scales.map(Double.init), .float32, rank)),
        ("zero_point", line.array(line.zeroPoints.map(Double.init), .int32, rank)),
        ("offset", line.array(line.offsets.map(Double.init), .float32, rank)),
      ]
      return all.filter { $0.tensor.count > 0 }
    }
  }
}

extension QuantizedWeight.Line {
  /// The values along the axis as a tensor of the weight's rank; empty for no values.
  fileprivate func array(_ numbers: [Double], _ type: ElementType, _ rank: Int) -> Tensor {
    var shape = [Int](repeating: 1, count: rank)
    if let axis { shape[axis] = numbers.count }
    return Tensor(type, shape: numbers.isEmpty ? [0] : shape, numbers)
  }
}
