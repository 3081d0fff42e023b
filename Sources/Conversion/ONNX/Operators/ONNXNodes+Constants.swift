import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXNodes {
  /// What is known beforehand.
  static let constants: [String: ONNXLayer.Build] = [
    "Constant": { (layer) throws(WeighbridgeError) in
      [.constant(layer.node.outputs.first ?? "", try layer.constantValue())]
    },
    "ConstantOfShape": { (layer) throws(WeighbridgeError) in
      let number =
        try layer.tensor("value") ?? Tensor(.float32, shape: [1], [0])
      return [try layer.filled(with: number, try layer.input())]
    },
    "Expand": { (layer) throws(WeighbridgeError) in
      let (input, shape) = (try layer.input(0), try layer.input(1))
      guard let extents = shape.tensor?.integers else {
        guard let number = input.tensor, number.count == 1 else {
          throw layer.unsupported("an Expand to extents that are known only when the model runs")
        }
        return [try layer.filled(with: number, shape)]
      }
      let ones = [Int](repeating: 1, count: extents.count)
      let aligned = try layer.aligned([input, layer.own(Tensor(.bool, shape: ones, [1]), "axes")])
      let rank = layer.type(aligned[0]).rank
      // An extent of 1 leaves the input's.
      let target =
        [Int](repeating: -1, count: rank - extents.count) + extents.map { $0 == 1 ? -1 : $0 }
      let own = layer.type(aligned[0]).shape
      let needed = zip(target, own).map { $1.value == $0 ? -1 : $0 }
      return [try layer.apply(BroadcastAxes(target: needed), to: aligned[0])]
    },
    "Range": { (layer) throws(WeighbridgeError) in
      if let open = try layer.openRange() { return [open] }
      guard let start = try layer.constant(0), let end = try layer.constant(1),
        let step = try layer.constant(2), step.count == 1, step.doubles[0] != 0
      else { throw layer.malformed("a Range without start, end and step") }
      let (first, distance) = (start.doubles[0], step.doubles[0])
      let count = max(0, ((end.doubles[0] - first) / distance).rounded(.up))
      guard count <= Double(1 << 24) else {
        throw WeighbridgeError(.limitExceeded, "a Range of \(count) numbers")
      }
      let numbers = (0..<Int(count)).map { first + Double($0) * distance }
      return [
        layer.own(Tensor(start.elementType, shape: [numbers.count], numbers), "range")
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
    if let numbers = try reals("value_floats") {
      return Tensor(.float32, shape: [numbers.count], numbers)
    }
    guard has("value_float") else { throw unsupported("a Constant that is no tensor of numbers") }
    return Tensor(.float32, shape: [], [try real("value_float", default: 0)])
  }

  /// A count from 0 up to an extent that is known only when the model runs; nil for other ranges.
  fileprivate mutating func openRange() throws(WeighbridgeError) -> ONNXValue? {
    guard case .extents(let end, false) = try input(1), end.contains(where: { $0.number == nil })
    else { return nil }
    guard try constant(0)?.doubles == [0], try constant(2)?.doubles == [1] else {
      throw unsupported("a Range to an open extent that does not count from 0 in steps of 1")
    }
    let one = Tensor(.int64, shape: [1], [1])
    let ones = try filled(with: one, .extents(end, isList: true), role: "ones")
    return try apply(
      Cumulative(.sum, axis: 0, isExclusive: true, isReversed: false), to: ones)
  }

  /// A tensor of one number everywhere.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when more than one extent is known only when the
  ///   model runs.
  fileprivate mutating func filled(
    with number: Tensor, _ shape: ONNXValue, role: String = ""
  ) throws(WeighbridgeError) -> ONNXValue {
    let scalar = ONNXValue.constant("\(source.layer)/number", number.reshaped([]))
    if let extents = shape.tensor?.integers {
      guard extents.allSatisfy({ $0 >= 0 }) else { throw malformed("a tensor of \(extents)") }
      let ones = [Int](repeating: 1, count: extents.count)
      let one = ONNXValue.constant("\(source.layer)/number", number.reshaped(ones))
      return extents.isEmpty
        ? scalar : try apply(BroadcastAxes(target: extents), to: one, role: role)
    }
    guard case .extents(let extents, _) = shape,
      let open = extents.firstIndex(where: { $0.number == nil }),
      extents.count(where: { $0.number == nil }) == 1, case .axis(let id, let axis) = extents[open]
    else { throw unsupported("a tensor of an open shape") }
    return try filled(with: number, extents, open: open, like: id, axis, role)
  }

  /// A column as long as an axis of a value, filled and repeated along the other axes.
  private mutating func filled(
    with number: Tensor, _ extents: [ONNXExtent], open: Int, like id: ValueID, _ axis: Int,
    _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = network.graph.type(of: id)
    let first = (0..<type.rank).filter { $0 != axis }.map {
      Slice.Range(axis: $0, start: 0, stop: 1, step: 1)
    }
    var value = try apply(Slice(first), to: .computed(id), role: "slice")
    var shape = [ReshapeAxes.Extent](repeating: .fixed(1), count: extents.count)
    shape[open] = .axis(axis)
    value = try apply(ReshapeAxes(shape), to: value, role: "column")
    value = try apply(Cast(to: number.elementType), to: value, role: "cast")
    value = try apply(FillLike(number: number.doubles[0]), to: value, role: "fill")
    return try apply(
      BroadcastAxes(target: extents.map { $0.number ?? -1 }), to: value, role: role)
  }
}
