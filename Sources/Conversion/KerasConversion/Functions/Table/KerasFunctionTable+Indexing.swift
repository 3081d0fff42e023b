import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that select elements of a tensor.
extension KerasFunctionTable {
  static let indexing =
    entries([Names(["Sort"], tf: ["sort"], 0), Names(["Argsort"], tf: ["argsort"], 1)]) {
      (call, output) throws(WeighbridgeError) in [try call.addSorted(output: output)]
    } + items

  private static let items: [Entry] = [
    Entry(["GetItem"], tf: ["__operators__.getitem"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "tensor", at: 0)
      // A key of only a new axis is null.
      let newAxis: KerasOperand? = call.isNull("key", "slice_spec") ? .value([.null]) : nil
      guard let key = call.take("key", "slice_spec", at: 1) ?? newAxis else {
        throw call.missing("key")
      }
      return try call.addItem(value, key)
    },
    Entry(["Slice"], tf: ["slice"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("inputs", "input_", at: 0)
      let starts = try call.integers("start_indices", "begin", at: 1) ?? []
      let sizes = try call.integers("shape", "size", at: 2) ?? []
      let type = call.type(of: value)
      guard starts.count == type.rank, sizes.count == type.rank,
        starts.allSatisfy({ $0 >= 0 }), sizes.allSatisfy({ $0 >= -1 })
      else { throw .unsupported("takes \(sizes) elements from \(starts) on") }
      var ranges: [Slice.Range] = []
      for axis in starts.indices {
        ranges.append(try range(from: starts[axis], count: sizes[axis], axis: axis, of: type))
      }
      return try call.add(Slice(ranges), [value])
    },
    Entry(["UnravelIndex"]) { (call) throws(WeighbridgeError) in try call.addCoordinates() },
    Entry(["Take"]) { (call) throws(WeighbridgeError) in
      var value = try call.tensor("x", at: 0)
      let indices = try call.indices("indices", at: 1)
      let axis = try call.axisOrFlattened(&value)
      let isLimited = call.layer.version < KerasVersion(3, 3) && !call.layer.writer.isJAX
      let places = isLimited ? try call.limited(indices, to: axis, of: value) : indices
      return try call.add(Gather(axis: axis), [value, places])
    },
    Entry(tf: ["gather", "keras.backend.gather"]) {
      (call) throws(WeighbridgeError) in
      let value = try call.tensor("params", "reference", at: 0)
      let indices = try call.indices("indices", at: 1)
      call.ignore("validate_indices")
      let type = call.type(of: value)
      let batchAxes = try call.integer("batch_dims", default: 0)
      let written = try call.integers("axis")?.first
      let axis = try KerasLayer.axis(written ?? batchAxes, of: type)
      guard batchAxes >= 0, batchAxes <= axis else {
        throw .unsupported(
          "batch_dims=\(batchAxes) and axis=\(axis), expected batch_dims from "
            + "0 to axis")
      }
      return try call.add(Gather(axis: axis, batchAxes: batchAxes), [value, indices])
    },
    Entry(["TakeAlongAxis"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let indices = try call.indices("indices", at: 1)
      let axis = try call.axis(of: call.type(of: value))
      return try call.add(GatherElements(axis: axis), [value, indices])
    },
    Entry(["OneHot"], tf: ["one_hot"]) { (call) throws(WeighbridgeError) in
      try call.addOneHot()
    },
    Entry(["TopK"], tf: ["math.top_k", "nn.top_k"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "input", at: 0)
      let count = try call.integer("k", default: 1)
      guard count >= 0 else { throw .malformed("k=\(count), expected at least 0") }
      // Elements that need not be sorted may be sorted.
      call.ignore("sorted", "index_type")
      let axis = try KerasLayer.axis(-1, of: call.type(of: value))
      return try call.add(Sort(axis: axis, isDescending: true, count: count), [value])
    },
  ]

  /// Returns a range of `count` elements, or of all from `start` on if the count is -1.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the axis is known to end before, which is an
  ///   error in TensorFlow too.
  private static func range(
    from start: Int, count: Int, axis: Int, of type: TensorType
  ) throws(WeighbridgeError) -> Slice.Range {
    let (stop, isTooLarge) = start.addingReportingOverflow(max(0, count))
    guard !isTooLarge, stop <= type.shape[axis].value ?? .max else {
      let elements = count == -1 ? "all elements" : "\(count.counted("element"))"
      throw .malformed(
        "takes \(elements) from \(start) on along axis \(axis) of \(type), which ends before")
    }
    return Slice.Range(axis: axis, start: start, stop: count == -1 ? nil : stop, step: 1)
  }
}

extension KerasFunction {
  /// Adds the coordinates of places in the row-major order of an array.
  fileprivate mutating func addCoordinates() throws(WeighbridgeError) -> [ValueID] {
    var (value, type) = try typedTensor("indices", "x", at: 0)
    let sizes = try integers("shape") ?? []
    let numbers = type.elementType
    guard numbers.isInteger, !sizes.isEmpty, !layer.writer.isJAX,
      sizes.allSatisfy({ $0 > 0 && numbers.nearest(to: Double($0)) == Double($0) })
    else {
      throw .unsupported(
        "finds \(type) in an array of \(sizes); integers in sizes of at least 1 of their type are "
          + "supported, and not on JAX")
    }
    // Keras on TensorFlow takes the axes from the first on, unless the indices are a vector.
    let isVector = type.rank == 1
    var coordinates: [ValueID] = []
    for (position, size) in (isVector ? sizes.reversed() : sizes).enumerated() {
      let count = try number(Double(size), like: value)
      let role = "\(position)"
      coordinates += try add(BinaryMath(.floorModulo), [value, count], role: role)
      if position < sizes.count - 1 { value = try part(BinaryMath(.floorDivide), value, count) }
    }
    return coordinates.reversed()
  }

  /// Takes integer indices; constants become int32.
  fileprivate mutating func indices(
    _ name: String, at position: Int
  ) throws(WeighbridgeError) -> ValueID {
    switch try term(name, at: position) {
    case .constant(let constant): return try add(constant: constant.tensor(.int32))
    case .value(let value):
      if type(of: value).elementType.isFloat, case .operation = self.name {
        guard !layer.writer.isJAX else {
          throw .unsupported(
            "takes indices of \(type(of: value).elementType), which JAX does not cut to integers;"
              + " integers are possible")
        }
        return try converted(value, to: .int32)
      }
      return value
    }
  }

  /// The indices as Keras takes them before 3.3 on TensorFlow: those outside of an axis are the nearest
  /// ones inside. One beyond an axis of unknown size is an error when the model runs.
  fileprivate mutating func limited(
    _ indices: ValueID, to axis: Int, of value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let natural = try part(Maximum(), indices, try number(0, like: indices))
    guard let size = type(of: value).shape[axis].value else { return natural }
    return try part(Minimum(), natural, try number(Double(max(1, size) - 1), like: natural))
  }

  /// - Parameter output: 0 for the sorted elements, 1 for their positions.
  fileprivate mutating func addSorted(output: Int) throws(WeighbridgeError) -> ValueID {
    let value = try tensor("x", "values", at: 0)
    ignore("stable")
    let isDescending = try string("direction") == "DESCENDING"
    let axis = try axis(of: type(of: value), default: -1)
    let sort = Sort(axis: axis, isDescending: isDescending)
    guard isBoolean(value), output == 0 else {
      return try add(sort, [try ordered(value)])[output]
    }
    let sorted = try addOne(sort, [try ordered(value)], role: "sorted")
    return try add(Cast(to: .bool), [sorted])[0]
  }

  /// Booleans as numbers, which have an order; other values as they are.
  mutating func ordered(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    isBoolean(value) ? try addOne(Cast(to: .uint8), [value], role: "ordered") : value
  }

  fileprivate mutating func addOneHot() throws(WeighbridgeError) -> [ValueID] {
    let value = try indices(firstOneHotName, at: 0)
    let depth: Int =
      if case .operation = name { try integer("num_classes") } else { try integer("depth") }
    guard depth >= 0 else { throw .malformed("has \(depth.counted("class")), expected at least 0") }
    let (on, off) = (try constant("on_value"), try constant("off_value"))
    try require("sparse", toBe: false, because: "sparse tensors are not supported")
    let rank = type(of: value).rank
    let written = try integer("axis", default: -1)
    let axis = written == -1 ? rank : written
    guard (0...rank).contains(axis) else {
      throw .unsupported("axis=\(written), and there are \(rank.counted("axis"))")
    }
    // TensorFlow gives the result the type of the numbers that are written.
    let elementType =
      try elementType("dtype") ?? (on ?? off).map { $0.elementType ?? $0.naturalType } ?? .float32
    return try add(
      OneHot(
        axis: axis, depth: depth, on: try element(on, of: elementType, default: 1),
        off: try element(off, of: elementType, default: 0), elementType: elementType), [value])
  }

  private var firstOneHotName: String { if case .operation = name { "x" } else { "indices" } }

  /// Adds `x[key]`, where the key may have indices, ranges, new axes and an ellipsis.
  fileprivate mutating func addItem(
    _ value: ValueID, _ key: KerasOperand
  ) throws(WeighbridgeError) -> [ValueID] {
    let known = layer.network.knownDimensions[value]
    var item = TensorItem()
    for part in try itemParts(key, rank: type(of: value).rank) { try addPart(part, to: &item) }
    guard item.axis <= type(of: value).rank else {
      throw .malformed("has more indices than \(type(of: value)) has axes")
    }
    var steps: [(operation: any CatalogOperator, role: String)] = []
    let ranges = item.ranges.filter { !($0.isWhole && $0.step == 1) }
    if !ranges.isEmpty { steps.append((Slice(ranges), "slice")) }
    if !item.dropped.isEmpty { steps.append((Squeeze(axes: item.dropped), "squeeze")) }
    if !item.added.isEmpty { steps.append((ExpandDims(axes: item.added), "expand_dims")) }
    let outputs = try addChain(steps, value)
    noteItem(known, item, outputs[0])
    return outputs
  }

  /// The parts of a key, with an ellipsis replaced by full ranges.
  private func itemParts(
    _ key: KerasOperand, rank: Int
  ) throws(WeighbridgeError) -> [KerasOperand] {
    let parts: [KerasOperand] =
      switch key {
      case .list(let parts): parts
      case .value(.array(let values)): values.map { .value($0) }
      default: [key]
      }
    let isEllipsis = { (part: KerasOperand) in
      if case .value(let json) = part {
        json.object?["class_name"] == "__ellipsis__"
      } else {
        false
      }
    }
    guard let ellipsisIndex = parts.firstIndex(where: isEllipsis) else { return parts }
    let indexedCount = parts.count { $0 != .value(.null) } - 1
    let whole = JSONValue.object(["start": .null, "stop": .null, "step": .null])
    let fullRanges = [KerasOperand](repeating: .value(whole), count: max(0, rank - indexedCount))
    return Array(parts[..<ellipsisIndex]) + fullRanges + Array(parts[(ellipsisIndex + 1)...])
  }

  private mutating func addPart(
    _ part: KerasOperand, to item: inout TensorItem
  ) throws(WeighbridgeError) {
    if part == .value(.null) { return item.addAxis() }
    var bounds: [String: KerasOperand]?
    switch part {
    case .value(.object(let object)):
      let config = object["class_name"] == "__slice__" ? object["config"]?.object : object
      guard let config, config["class_name"] == nil else { break }
      bounds = [:]
      for key in config.keys { bounds?[key] = config[key].map { .value($0) } }
    case .dictionary(let members):
      bounds = members
      if case .dictionary(let config) = members["config"] { bounds = config }
    default: break
    }
    guard let bounds else {
      guard let index = try plain(part, as: "an index").integer else {
        throw .unsupported(
          "has an index that is neither a number nor a range, and only these can be read")
      }
      item.addIndex(index)
      return
    }
    func bound(_ name: String) throws(WeighbridgeError) -> Int? {
      guard let operand = bounds[name], operand != .value(.null) else { return nil }
      let json = try plain(operand, as: "the \(name) of a range")
      guard let number = json.integer else { throw unexpected(name, json, "an integer") }
      return number
    }
    let step = try bound("step") ?? 1
    guard step != 0 else { throw .malformed("a range has the step 0, expected another number") }
    item.addRange(start: try bound("start"), stop: try bound("stop"), step: step)
  }

  /// Records the dimensions that an item of a vector of dimensions contains.
  private mutating func noteItem(
    _ known: KnownDimensions?, _ item: TensorItem, _ output: ValueID
  ) {
    guard let known, known.isVector, item.ranges.count == 1, item.added.isEmpty else { return }
    let (start, count) = item.ranges[0].resolved(known.dimensions.count)
    let positions = (0..<count).map { start + $0 * item.ranges[0].step }
    guard item.dropped.isEmpty || positions.count == 1 else { return }
    layer.network.knownDimensions[output] = known.selecting(
      positions, isVector: item.dropped.isEmpty)
  }
}

/// An indexing expression `x[...]` that is being built from its parts.
struct TensorItem {
  /// The next axis of the tensor.
  private(set) var axis = 0
  private(set) var ranges: [Slice.Range] = []
  /// The axes of the tensor that an index removes.
  private(set) var dropped: [Int] = []
  /// The positions of new axes in the result.
  private(set) var added: [Int] = []

  /// Skips axes, of which all elements are kept.
  mutating func skip(_ count: Int) { axis += count }

  mutating func addAxis() { added.append(axis - dropped.count + added.count) }

  mutating func addIndex(_ index: Int) {
    // A range of only the last element extends to the end of the axis.
    let stop = index == -1 || index == .max ? nil : index + 1
    ranges.append(Slice.Range(axis: axis, start: index, stop: stop, step: 1))
    dropped.append(axis)
    axis += 1
  }

  mutating func addRange(start: Int?, stop: Int?, step: Int) {
    ranges.append(Slice.Range(axis: axis, start: start, stop: stop, step: step))
    axis += 1
  }
}
