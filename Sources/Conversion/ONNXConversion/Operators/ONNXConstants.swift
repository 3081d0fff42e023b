import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Constants, and tensors filled with one number.
enum ONNXConstants: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "Constant": { (layer) throws(WeighbridgeError) in
      layer.readNarrowType(of: "value")
      return [.constant(layer.node.outputs.first ?? "", try layer.constantValue())]
    },
    "ConstantOfShape": { (layer) throws(WeighbridgeError) in
      layer.readNarrowType(of: "value")
      let number =
        try layer.tensor("value") ?? Tensor(.float32, shape: [1], [0])
      return [try layer.filled(with: number, try layer.input())]
    },
    "Expand": { (layer) throws(WeighbridgeError) in
      let (input, shape) = (try layer.input(0), try layer.input(1))
      guard let dimensions = shape.tensor?.integers else {
        return [try layer.expanded(input, to: shape)]
      }
      let ones = [Int](repeating: 1, count: dimensions.count)
      let axes = layer.newConstant(Tensor(.bool, shape: ones, [1]), "axes")
      let aligned = try layer.aligned([input, axes])
      let rank = layer.type(aligned[0]).rank
      // A size of 1 keeps the input's size.
      let target =
        [Int](repeating: -1, count: rank - dimensions.count) + dimensions.map { $0 == 1 ? -1 : $0 }
      let inputShape = layer.type(aligned[0]).shape
      let changed = zip(target, inputShape).map { $1.value == $0 ? -1 : $0 }
      return [try layer.apply(BroadcastTo(target: changed), to: aligned[0])]
    },
    "Range": { (layer) throws(WeighbridgeError) in
      if let range = try layer.dynamicRange() { return [range] }
      guard let start = try layer.constant(0), let end = try layer.constant(1),
        let step = try layer.constant(2), [start, end, step].allSatisfy({ $0.count == 1 }),
        step.doubles[0] != 0
      else {
        throw layer.malformed(
          "takes a start, an end or a step that is not known, expected one constant number for each, and no step of 0"
        )
      }
      let (first, increment) = (start.doubles[0], step.doubles[0])
      let count = max(0, ((end.doubles[0] - first) / increment).rounded(.up))
      guard count <= Double(1 << 24) else {
        throw .limitExceeded("makes a range of \(count) numbers, and 16777216 are the limit")
      }
      let numbers = (0..<Int(count)).map { first + Double($0) * increment }
      return [
        layer.newConstant(Tensor(start.elementType, shape: [numbers.count], numbers), "range")
      ]
    },
  ]
}

extension ONNXLayer {
  fileprivate mutating func constantValue() throws(WeighbridgeError) -> Tensor {
    if let tensor = try tensor("value") { return tensor }
    if let number = try integer("value_int") { return Tensor(.int64, shape: [], [Double(number)]) }
    if let numbers = try integers("value_ints") {
      return Tensor(.int64, shape: [numbers.count], numbers.map(Double.init))
    }
    if let numbers = try floats("value_floats") {
      return Tensor(.float32, shape: [numbers.count], numbers)
    }
    guard has("value_float") else {
      throw unsupported(
        "holds a constant that is no tensor of numbers (such as a string or a sparse tensor), and only those "
          + "can be read")
    }
    return Tensor(.float32, shape: [], [try float("value_float", default: 0)])
  }

  /// Adds the numbers from 0 up to a size that is known only when the model runs; returns `nil` for
  /// other ranges.
  fileprivate mutating func dynamicRange() throws(WeighbridgeError) -> ONNXValue? {
    guard case .dimensions(let end, false, let type) = try input(1),
      end.contains(where: { $0.number == nil })
    else { return nil }
    guard try constant(0)?.doubles == [0], try constant(2)?.doubles == [1] else {
      throw unsupported(
        "counts up to an unknown size from another start than 0 or in other steps than 1, and only 0 and 1 can "
          + "be read")
    }
    let one = Tensor(type, shape: [1], [1])
    let ones = try filled(with: one, .dimensions(end, isList: true), role: "ones")
    return try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones)
  }

  /// Adds a tensor filled with one number.
  fileprivate mutating func filled(
    with number: Tensor, _ shape: ONNXValue, role: String = ""
  ) throws(WeighbridgeError) -> ONNXValue {
    guard number.count == 1 else {
      throw malformed("fills a tensor with \(number.count) numbers, and only one is possible")
    }
    let scalar = ONNXValue.constant("\(source.layer)/number", number.reshaped([]))
    if let dimensions = shape.tensor?.integers {
      guard dimensions.allSatisfy({ $0 >= 0 }) else {
        throw malformed("makes a tensor of the shape \(dimensions), and sizes are 0 or more")
      }
      let ones = [Int](repeating: 1, count: dimensions.count)
      let one = ONNXValue.constant("\(source.layer)/number", number.reshaped(ones))
      return dimensions.isEmpty
        ? scalar : try apply(BroadcastTo(target: dimensions), to: one, role: role)
    }
    guard case .dimensions(let dimensions, _, _) = shape else {
      throw unsupported(
        "makes a tensor of a shape that is computed when the model runs, and only constant shapes and sizes of "
          + "other values can be read")
    }
    let value: ONNXValue
    if let like = try filledLikeValue(of: dimensions, number, role) {
      value = like
    } else {
      value = try filledFromColumns(of: dimensions, number, role)
    }
    network.recordFill(of: value, with: number.doubles[0])
    return value
  }

  /// Adds a value repeated along its axes of size 1, to sizes of which some may be unknown.
  mutating func expanded(
    _ input: ONNXValue, to shape: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let dimensions = shape.dimensions else {
      throw unsupported(
        "expands to sizes that are computed when the model runs, and only constant sizes and those of other "
          + "values can be read")
    }
    if let number = input.tensor, number.count == 1, number.shape.count <= dimensions.count {
      return try filled(with: number, shape)
    }
    let type = type(input)
    let leading = dimensions.count - type.rank
    // Where the input already has the size, 1 is used, so that the tensor of ones is smaller.
    let missing = dimensions.enumerated().map { axis, dimension -> ONNXDimension in
      guard case .computed(let id) = input, axis >= leading else { return dimension }
      let isInputSize =
        dimension == .axis(id, axis - leading, times: 1)
        || dimension.number != nil && dimension.number == type.shape[axis - leading].value
      return isInputSize ? .known(1) : dimension
    }
    if leading <= 0, missing.allSatisfy({ $0 == .known(1) }) { return input }
    let isBool = type.elementType == .bool
    let one = Tensor(type.elementType, shape: [1], [1])
    let ones = try filled(with: one, .dimensions(missing, isList: true), role: "ones")
    return try apply(isBool ? LogicalAnd() : Multiply(), aligned([input, ones]))[0]
  }

  /// Adds a filled tensor in the shape of the value whose dimensions these are; returns `nil` if
  /// they are not those of a single value.
  private mutating func filledLikeValue(
    of dimensions: [ONNXDimension], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue? {
    let ids = dimensions.compactMap { if case .axis(let id, _, _) = $0 { id } else { nil } }
    guard let id = ids.first, network.isShape(dimensions, of: id) else { return nil }
    var value = ONNXValue.computed(id)
    if type(value).elementType != number.elementType {
      value = try apply(Cast(to: number.elementType), to: value, role: "cast")
    }
    return try apply(FullLike(value: number.doubles[0]), to: value, role: role)
  }

  /// Adds a filled tensor: one column for each unknown size, broadcast together and to the known
  /// sizes.
  private mutating func filledFromColumns(
    of dimensions: [ONNXDimension], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    var values: [ONNXValue] = []
    for (position, dimension) in dimensions.enumerated() {
      guard case .axis(let id, let axis, let times) = dimension else { continue }
      var shape = [ReshapeAxes.Size](repeating: .fixed(1), count: dimensions.count)
      shape[position] = .axis(axis)
      var column = try column(of: id, axis, shape, number, "column_\(position)")
      if times != 1 {
        let counts = dimensions.indices.map { $0 == position ? times : 1 }
        column = try apply(Tile(counts: counts), to: column, role: "column_\(position)/times")
      }
      values.append(column)
    }
    let value = values.count == 1 ? values[0] : try apply(Maximum(), values, role: "columns")[0]
    return try apply(
      BroadcastTo(target: dimensions.map { $0.number ?? -1 }), to: value, role: role)
  }

  /// Adds a filled tensor of a given shape, with as many elements as an axis of a value.
  private mutating func column(
    of id: ValueID, _ axis: Int, _ shape: [ReshapeAxes.Size], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let firstElements = (0..<network.graph.type(of: id).rank).filter { $0 != axis }.map {
      Slice.Range(axis: $0, start: 0, stop: 1, step: 1)
    }
    var value = try apply(Slice(firstElements), to: .computed(id), role: "\(role)/slice")
    value = try apply(ReshapeAxes(shape), to: value, role: "\(role)/axes")
    value = try apply(Cast(to: number.elementType), to: value, role: "\(role)/cast")
    return try apply(FullLike(value: number.doubles[0]), to: value, role: role)
  }
}
