import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that compute shapes, or make tensors of a shape.
enum TFLiteShapes {
  static let nodes: [String: TFLiteReading] = [
    "BROADCAST_ARGS": TFLiteReading { (layer) throws(WeighbridgeError) in
      guard let first = try layer.input(0).dimensions, let second = try layer.input(1).dimensions
      else { throw layer.unsupported("combines shapes that are known only when the model runs") }
      let count = max(first.count, second.count)
      let lists = [first, second].map {
        [SourceDimension](repeating: .known(1), count: count - $0.count) + $0
      }
      let sizes = zip(lists[0], lists[1]).map { $0 == .known(1) ? $1 : $0 }
      return [.dimensions(sizes, isList: true, as: try layer.outputElementType())]
    },
    "FILL": TFLiteReading { (layer) throws(WeighbridgeError) in
      guard let number = try layer.constant(1) else {
        throw layer.malformed("has no number to fill a tensor with, which is its second input")
      }
      return [try layer.filled(with: number, try layer.input(0))]
    },
    "RANGE": TFLiteReading { (layer) throws(WeighbridgeError) in [try layer.counted()] },
    "RANK": TFLiteReading { (layer) throws(WeighbridgeError) in
      let rank = layer.type(try layer.input()).rank
      return [.dimensions([.known(rank)], isList: false, as: .int32)]
    },
    "SHAPE": TFLiteReading(options: 55) { (layer) throws(WeighbridgeError) in
      layer.ignore(0)  // the type, which the output's tensor has too
      let input = try layer.input()
      var sizes: [SourceDimension] = []
      for (axis, size) in layer.type(input).shape.enumerated() {
        if let known = size.value {
          sizes.append(.known(known))
        } else if case .computed(let id) = input {
          sizes.append(.axis(id, axis, times: 1))
        }
      }
      return [.dimensions(sizes, isList: true, as: try layer.outputElementType())]
    },
    "ZEROS_LIKE": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.apply(FullLike(value: 0), to: try layer.input())]
    },
  ]
}

extension TFLiteLayer {
  /// Counts from a number to another one in steps.
  fileprivate mutating func counted() throws(WeighbridgeError) -> SourceValue {
    if case .dimensions(let end, false, let type) = try input(1), end[0].number == nil {
      guard try constant(0)?.doubles == [0], try constant(2)?.doubles == [1] else {
        throw unsupported(
          "counts to a size that is known only when the model runs, and only counting from 0 in "
            + "steps of 1 can be read then")
      }
      let one = Tensor(type, shape: [1], [1])
      let ones = try filled(with: one, .dimensions(end, isList: true), role: "ones")
      return try apply(CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones)
    }
    var numbers: [Double] = []
    for position in 0..<3 {
      guard let tensor = try constant(position), tensor.count == 1 else {
        throw malformed("has no start, end or step, each of which is one number")
      }
      numbers.append(tensor.doubles[0])
    }
    let (start, step) = (numbers[0], numbers[2])
    let count = max(0, ((numbers[1] - start) / step).rounded(.up))
    guard step != 0, count <= Double(1 << 24) else {
      throw .limitExceeded("makes a range of \(count) numbers, and 16777216 are the limit")
    }
    let list = (0..<Int(count)).map { start + Double($0) * step }
    return newConstant(
      Tensor(try outputElementType(), shape: [list.count], list), "range")
  }
}
