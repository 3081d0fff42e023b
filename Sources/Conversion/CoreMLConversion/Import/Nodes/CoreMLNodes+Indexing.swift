import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Elements by their places, places of elements, and tensors of one number.
extension CoreMLNodes {
  static let indexing: [String: CoreMLCall.Build] = [
    "embedding": { (call) throws(WeighbridgeError) in [try call.embedding()] },
    "embeddingND": { (call) throws(WeighbridgeError) in [try call.embeddingND()] },
    "gather": { (call) throws(WeighbridgeError) in
      let (blob, indices) = try call.pair()
      let axis = try call.axis(of: blob)
      let operation = Gather(axis: blob.allAxes.firstIndex(of: axis) ?? 0)
      return [try call.exact(call.add(operation, [call.whole(blob), call.indices(indices)]))]
    },
    "gatherAlongAxis": { (call) throws(WeighbridgeError) in
      let (blob, indices) = try call.pair()
      let axis = try call.axis(of: blob)
      let operation = GatherElements(axis: blob.allAxes.firstIndex(of: axis) ?? 0)
      return [try call.exact(call.add(operation, [call.whole(blob), call.indices(indices)]))]
    },
    "topK": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let (axis, count) = (try call.axis(of: blob), call.integer("K"))
      return try call.sort(blob, axis, isDescending: !call.flag("useBottomK"), count: count)
    },
    "argSort": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let axis = try call.axis(of: blob)
      return [
        try call.sort(blob, axis, isDescending: call.flag("descending"), count: nil)[1]
      ]
    },
    "oneHot": { (call) throws(WeighbridgeError) in [try call.oneHot()] },
    "fillLike": { (call) throws(WeighbridgeError) in
      let number = call.real("value")
      return [try call.each(FullLike(number: number))]
    },
    "fillStatic": { (call) throws(WeighbridgeError) in
      let shape = call.integers("targetShape")
      guard shape.count <= 5, !shape.isEmpty, shape.allSatisfy({ $0 > 0 }) else {
        throw call.malformed("has the target \(shape)")
      }
      let one = try call.constant("value", shape: shape.map { _ in 1 }, [call.real("value")])
      return [try call.exact(call.add(BroadcastTo(target: shape), [one]))]
    },
  ]
}

extension CoreMLCall {
  /// A tensor's elements as whole numbers.
  fileprivate mutating func indices(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    let value = try whole(blob)
    return type(value).elementType.isFloat
      ? try add(Cast(to: .int32), [value], role: "indices") : value
  }

  /// The tables of Core ML have a column for each index.
  private mutating func look(
    _ value: ValueID, count: Int, features: Int
  ) throws(WeighbridgeError) -> ValueID {
    let columns = try tensor("weights", shape: [features, count])
    let table = try addWeight("table", columns.permuted([1, 0]))
    guard flag("hasBias") else {
      ignore("bias")
      return try add(Embedding(), [value, table])
    }
    let rows = try add(Embedding(), [value, table], role: "rows")
    let shape = [Int](repeating: 1, count: type(rows).rank - 1) + [features]
    let bias = try tensor("bias", shape: [features]).reshaped(shape)
    return try add(Add(), [rows, addWeight("bias", bias)])
  }

  /// Indices `[sequence, batch, 1, 1, 1]` or `[batch, 1, 1, 1]`.
  fileprivate mutating func embedding() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let outer: [CoreMLAxis] = blob.axes.contains(.sequence) ? [.sequence, .batch] : [.batch]
    let rows = try look(
      try value(blob, outer), count: integer("inputDim"), features: integer("outputChannels"))
    return CoreMLBlob(rows, outer + [.channel], rank: blob.rank)
  }

  /// Indices along an axis of one element, where the features are then.
  fileprivate mutating func embeddingND() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    guard blob.rank >= 2 else { throw malformed("takes indices with one axis") }
    let outer = Array(blob.allAxes.dropLast())
    let rows = try look(
      try value(blob, outer), count: integer("vocabSize"), features: integer("embeddingSize"))
    return CoreMLBlob(rows, outer + [.width], rank: blob.rank)
  }

  fileprivate mutating func sort(
    _ blob: CoreMLBlob, _ axis: CoreMLAxis, isDescending: Bool, count: Int?
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    let operation = Sort(
      axis: blob.allAxes.firstIndex(of: axis) ?? 0, isDescending: isDescending,
      count: count == 0 ? nil : count)
    let results = try addAll(operation, [whole(blob)])
    return [try exact(results[0]), try exact(try number(results[1]))]
  }

  fileprivate mutating func oneHot() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let written = integer("axis")
    let axis = written < 0 ? written + blob.rank + 1 : written
    guard (0...blob.rank).contains(axis) else { throw malformed("has the axis \(written)") }
    let operation = OneHot(
      axis: axis, depth: integer("oneHotVectorSize"), on: real("onValue"), off: real("offValue"),
      elementType: .float32)
    return try exact(add(operation, [indices(blob)]))
  }
}
