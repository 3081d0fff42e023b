import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The weights of a model as the arrays of a file.
struct ExportedArrays {
  /// A weight `NAME` is one array of its name; or, where integers are kept,
  /// `NAME/quantized` of int8, uint8 or int16 with `NAME/scale` (and `NAME/zero_point`, `NAME/offset`), each
  /// of as many axes, one number or one for each index along an axis, or for each block of the sizes in
  /// `NAME/block_shape`; or
  /// `NAME/codes` with `NAME/table`; or one array of 16 bits.
  private(set) var arrays: [(name: String, tensor: Tensor)] = []
  private var widened = WidenedWeights()

  /// What is stored larger than in the model.
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
  /// The integers and what they stand for, each in an array.
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
  /// Numbers along the axis, of as many axes as the weight has; empty for none.
  fileprivate func array(_ numbers: [Double], _ type: ElementType, _ rank: Int) -> Tensor {
    var shape = [Int](repeating: 1, count: rank)
    if let axis { shape[axis] = numbers.count }
    return Tensor(type, shape: numbers.isEmpty ? [0] : shape, numbers)
  }
}
