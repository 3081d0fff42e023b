import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import NCNNFormat

/// The functions of x and y that `BinaryOp` computes.
enum NCNNBinary: Int {
  case add, subtract, multiply, divide, maximum, minimum, power
  /// y - x.
  case subtractFrom
}

// The layers of which most operators are composed. Axes are those of blobs.
extension NCNNBuilder {
  /// Adds a function of two blobs, in which axes of size 1 are broadcast.
  mutating func binary(
    _ function: NCNNBinary, _ x: NCNNBlob, _ y: NCNNBlob
  ) throws(WeighbridgeError) -> NCNNBlob {
    try add(
      "BinaryOp", [x, y], [0: function.rawValue],
      shape: zip(x.shape, y.shape).map { $0 == 1 ? $1 : $0 })
  }

  /// Adds a function of each element and a scalar.
  mutating func binary(
    _ function: NCNNBinary, _ x: NCNNBlob, _ scalar: Double
  ) throws(WeighbridgeError) -> NCNNBlob {
    try add("BinaryOp", [x], [0: function.rawValue, 1: 1], floats: [2: scalar], shape: x.shape)
  }

  /// Combines all inputs from left to right; any except the first may be a scalar.
  mutating func chain(_ function: NCNNBinary) throws(WeighbridgeError) -> NCNNBlob {
    var result = try input(0)
    for index in operands.indices.dropFirst() {
      let tensor = operands[index].constant
      if let scalar = tensor?.count == 1 ? tensor?.doubles[0] : nil, Float(scalar).isFinite {
        result = try binary(function, result, scalar)
      } else {
        result = try binary(function, result, try input(index))
      }
    }
    return result
  }

  /// Adds an elementwise function, by its number in ncnn.
  mutating func unary(_ number: Int, _ x: NCNNBlob) throws(WeighbridgeError) -> NCNNBlob {
    try add("UnaryOp", [x], [0: number], shape: x.shape)
  }

  /// Returns 1 where an element is greater than 0, and 0 elsewhere.
  mutating func positiveMask(_ x: NCNNBlob) throws(WeighbridgeError) -> NCNNBlob {
    try add("Threshold", [x], floats: [0: 0], shape: x.shape)
  }

  /// Returns 1 for 0 and 0 for 1.
  mutating func logicalNot(_ x: NCNNBlob) throws(WeighbridgeError) -> NCNNBlob {
    try binary(.subtractFrom, x, 1)
  }

  /// Reduces some axes to size 1; returns `nil` for a function that ncnn does not have.
  mutating func reduce(
    _ function: Reduce.Function, _ axes: [Int]
  ) throws(WeighbridgeError) -> NCNNBlob? {
    let x = try input()
    let functions: [Reduce.Function?] = [.sum, nil, nil, .mean, .maximum, .minimum, .product]
    guard let number = functions.firstIndex(of: function) else { return nil }
    if axes.isEmpty { return x }
    return try add(
      "Reduction", [x], [0: number, 1: 0, 4: 1, 5: 1], lists: [3: .integers(axes)],
      shape: x.shape.enumerated().map { axes.contains($0) ? 1 : $1 })
  }

  /// Takes ranges along some axes.
  mutating func crop(
    _ x: NCNNBlob, _ ranges: [(axis: Int, range: Range<Int>)]
  ) throws(WeighbridgeError) -> NCNNBlob {
    if ranges.isEmpty { return x }
    var shape = x.shape
    for (axis, range) in ranges { shape[axis] = range.count }
    return try add(
      "Crop", [x],
      lists: [
        9: .integers(ranges.map(\.range.lowerBound)),
        10: .integers(ranges.map(\.range.upperBound)), 11: .integers(ranges.map(\.axis)),
      ], shape: shape)
  }

  /// The axis of a blob for an axis of a tensor; throws an error for the batch axis.
  func axis(_ axis: Int) throws(WeighbridgeError) -> Int {
    guard axis > 0 else {
      throw .unsupported("works along the batch axis, which ncnn's blobs do not have")
    }
    return axis - 1
  }

  /// The shape of a blob; throws an error if a size is dynamic.
  func knownShape(_ x: NCNNBlob) throws(WeighbridgeError) -> [Int] {
    let shape = x.shape.compactMap { $0 }
    guard shape.count == x.shape.count else {
      throw .unsupported("has a size that is not known, and ncnn has this for known sizes only")
    }
    return shape
  }

  /// Reshapes a blob in row-major order; one size may be dynamic.
  mutating func reshape(
    _ x: NCNNBlob, _ shape: [Int?]
  ) throws(WeighbridgeError) -> NCNNBlob {
    if x.shape == shape { return x }
    guard shape.count(where: { $0 == nil }) <= 1 else {
      throw .unsupported("has several unknown sizes, and ncnn reshapes to one at most")
    }
    return try add("Reshape", [x], Self.sizes(shape.map { $0 ?? -1 }), shape: shape)
  }

  /// Transposes a blob: axis i is the input's axis `order[i]`.
  mutating func permute(
    _ x: NCNNBlob, _ order: [Int]
  ) throws(WeighbridgeError) -> NCNNBlob {
    let shape = order.map { x.shape[$0] }
    // Axes of size 1 may be anywhere: if the others stay in order, a reshape suffices.
    let nontrivial = order.filter { x.shape[$0] != 1 }
    if zip(nontrivial, nontrivial.dropFirst()).allSatisfy(<) { return try reshape(x, shape) }
    let letters = Array(["", "W", "HW", "CHW", "CDHW"][order.count])
    let code = String(order.reversed().map { letters[$0] })
    let codes = Self.orders.split(separator: " ").map(String.init).filter {
      $0.count == order.count
    }
    return try add("Permute", [x], [0: codes.firstIndex(of: code) ?? 0], shape: shape)
  }

  /// The axes of the output in terms of the input, innermost first, by the setting of `Permute`.
  private static let orders = """
    WH HW WHC HWC WCH CWH HCW CHW WHDC HWDC WDHC DWHC HDWC DHWC WHCD HWCD WCHD CWHD HCWD CHWD WDCH \
    DWCH WCDH CWDH DCWH CDWH HDCW DHCW HCDW CHDW DCHW CDHW
    """
}
