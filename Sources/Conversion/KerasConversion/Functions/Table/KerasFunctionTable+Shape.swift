import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that reshape and transpose, and shapes as tensors.
extension KerasFunctionTable {
  static let shapes: [Entry] = [
    Entry(tf: ["shape"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("input", at: 0)
      let type = try call.elementType("out_type") ?? .int32
      let outputs = try call.add(Shape(elementType: type), [value])
      call.layer.network.knownDimensions[outputs[0]] = KnownDimensions(
        of: value, call.type(of: value))
      return outputs
    },
    Entry(["Size"], tf: ["size"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", "input", at: 0)
      let elementType = try call.elementType("out_type") ?? .int32
      let shape = try call.part(Shape(elementType: elementType), value)
      let outputs = try call.add(Reduce(.product, axes: [0], keepDims: false), [shape])
      call.layer.network.knownDimensions[outputs[0]] = KnownDimensions(
        dimensions: [(try? Dimension.product(type.shape)) ?? .unknown], isVector: false)
      return outputs
    },
    Entry(["Ndim"], tf: ["rank"]) { (call) throws(WeighbridgeError) in
      let rank = try call.typedTensor("x", "input", at: 0).type.rank
      return try call.addConstant(Tensor(.int32, shape: [], [Double(rank)]))
    },
    Entry(["Reshape"], tf: ["reshape"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "tensor", at: 0)
      guard let shape = call.take("newshape", "shape", at: 1) else { throw call.missing("shape") }
      return try call.addReshape(value, to: try call.dimensions(shape))
    },
    Entry(["Ravel"]) { (call) throws(WeighbridgeError) in
      try call.add(ReshapeAxes([.rest]), [try call.tensor("x", at: 0)])
    },
    Entry(tf: ["keras.backend.batch_flatten"]) { (call) throws(WeighbridgeError) in
      try call.add(Reshape(target: [-1]), [try call.tensor("x", at: 0)])
    },
    Entry(["ExpandDims"], tf: ["expand_dims", "keras.backend.expand_dims"]) {
      (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "input", at: 0)
      guard let written = try call.integers("axis", at: 1) else { throw call.missing("axis") }
      let rank = call.type(of: value).rank + written.count
      let axes = Set(written.map { $0 < 0 ? $0 + rank : $0 }).sorted()
      guard axes.count == written.count, axes.allSatisfy((0..<rank).contains) else {
        throw .malformed("axis=\(written), and there will be \(rank.counted("axis"))")
      }
      return try call.add(ExpandDims(axes: axes), [value])
    },
    Entry(["Squeeze"], tf: ["squeeze", "keras.backend.squeeze"]) {
      (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", "input", at: 0)
      let written = try call.axes("axis", of: type) ?? []
      let axes = written.isEmpty ? type.shape.indices.filter { type.shape[$0] == 1 } : written
      return try call.add(Squeeze(axes: axes), [value])
    },
    Entry(["Transpose"], tf: ["transpose", "keras.backend.permute_dimensions"]) {
      (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "a", at: 0)
      let rank = call.type(of: value).rank
      try call.require("conjugate", toBe: false, because: "numbers are real")
      let written = try call.integers("axes", "perm", at: 1)
      let axes = written?.map { $0 < 0 ? $0 + rank : $0 } ?? Array((0..<rank).reversed())
      return try call.addTranspose(value, axes)
    },
    Entry(["Swapaxes"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let (axis1, axis2) = (try call.axis("axis1", of: type), try call.axis("axis2", of: type))
      var axes = Array(0..<type.rank)
      axes.swapAt(axis1, axis2)
      return try call.addTranspose(value, axes)
    },
    Entry(["Moveaxis"]) { (call) throws(WeighbridgeError) in try call.addMovedAxes() },
    Entry(["BroadcastTo"], tf: ["broadcast_to"]) { (call) throws(WeighbridgeError) in
      try call.addBroadcast()
    },
  ]
}

extension KerasFunction {
  /// Adds a reshape; one that preserves the batch becomes the operator of Keras' `Reshape` layer.
  fileprivate mutating func addReshape(
    _ value: ValueID, to shape: [RequestedDimension]
  ) throws(WeighbridgeError) -> [ValueID] {
    let input = type(of: value)
    var target: [ReshapeAxes.Size] = []
    for (position, requested) in shape.enumerated() {
      guard case .dimension(let dimension) = requested else {
        target.append(.rest)
        continue
      }
      if let number = dimension.value {
        guard number >= 0 else {
          throw .malformed(
            "a shape has the size \(number), expected "
              + "at least 0")
        }
        target.append(.fixed(number))
      } else if dimension != .unknown, position < input.rank, input.shape[position] == dimension {
        target.append(.axis(position))
      } else {
        // A size that is not that of an axis must be the inferred one.
        let axis = dimension == .unknown ? nil : input.shape.firstIndex(of: dimension)
        target.append(axis.map { .axis($0) } ?? .rest)
      }
    }
    guard target.count(where: { $0 == .rest }) <= 1 else {
      throw .unsupported("reshapes \(input) to a shape of which more than one size is not known")
    }
    let operation = ReshapeAxes(target)
    let output: TensorType
    do throws(ShapeError) { output = try operation.checkedOutputTypes(of: [input])[0] } catch {
      throw .malformed(error.reason)
    }
    if let kept = Self.keepingBatch(target, input, output) { return try add(kept, [value]) }
    return try add(operation, [value])
  }

  /// The equivalent reshape without the batch axis; `nil` when the batch changes.
  private static func keepingBatch(
    _ target: [ReshapeAxes.Size], _ input: TensorType, _ output: TensorType
  ) -> Reshape? {
    guard let batch = input.shape.first, batch != .unknown, output.shape.first == batch else {
      return nil
    }
    var dimensions: [Int] = []
    for dimension in target.dropFirst() {
      switch dimension {
      case .fixed(let number): dimensions.append(number)
      case .rest: dimensions.append(-1)
      case .axis: return nil
      }
    }
    return Reshape(target: dimensions)
  }

  mutating func addTranspose(
    _ value: ValueID, _ axes: [Int]
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = self.type(of: value)
    guard axes.sorted() == Array(0..<type.rank) else {
      throw .malformed("\(axes) is not an order of the axes of \(type)")
    }
    return try add(Transpose(axes: axes), [value])
  }

  fileprivate mutating func addMovedAxes() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", at: 0)
    var (sources, destinations): ([Int], [Int]) = ([], [])
    for axis in try integers("source") ?? [] { sources.append(try KerasLayer.axis(axis, of: type)) }
    for axis in try integers("destination") ?? [] {
      destinations.append(try KerasLayer.axis(axis, of: type))
    }
    guard sources.count == destinations.count, Set(sources).count == sources.count,
      Set(destinations).count == destinations.count
    else {
      throw .malformed(
        "moves the axes \(sources) to \(destinations), expected "
          + "as many different ones")
    }
    var axes = (0..<type.rank).filter { !sources.contains($0) }
    for (destination, source) in zip(destinations, sources).sorted(by: { $0.0 < $1.0 }) {
      axes.insert(source, at: destination)
    }
    return try addTranspose(value, axes)
  }
}
