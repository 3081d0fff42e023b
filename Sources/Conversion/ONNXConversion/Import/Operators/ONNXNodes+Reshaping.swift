import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXNodes {
  /// The same elements in another place.
  static let reshaping: [String: ONNXLayer.Build] = shapes.merging(parts) { first, _ in first }

  private static let shapes: [String: ONNXLayer.Build] = [
    "DepthToSpace": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      let mode = try layer.text("mode", default: "DCR")
      var input = try layer.input()
      guard block >= 1, ["DCR", "CRD"].contains(mode), layer.type(input).rank == 4 else {
        throw layer.malformed("a DepthToSpace of the mode \(mode)")
      }
      if mode == "CRD" { input = try layer.placesFirst(input, block: block) }
      return [
        try layer.apply(DepthToSpace(block: block, layout: .channelsFirst), to: input)
      ]
    },
    "Flatten": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let given = try layer.integer("axis", default: 1)
      let rank = layer.type(input).rank
      let axis = given < 0 ? given + rank : given
      if axis == 1, rank >= 1 { return [try layer.apply(Reshape(target: [-1]), to: input)] }
      guard (0...rank).contains(axis),
        let front = layer.type(input).with(shape: Array(layer.type(input).shape[..<axis]))
          .fixedShape
      else { throw layer.unsupported("a Flatten in front of axis \(given) of open sizes") }
      let count = try Checked.product(front, of: "a size")
      return [try layer.apply(ReshapeAxes([.fixed(count), .rest]), to: input)]
    },
    "Identity": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard case .computed = input else { return [input] }
      return [try layer.apply(Identity(), to: input)]
    },
    "Reshape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let keepsZeros = try layer.flag("allowzero")
      let wanted: [ONNXDimension]
      if let given = try layer.integers("shape") {
        wanted = given.map(ONNXDimension.known)
      } else {
        guard let dimensions = try layer.input(1).dimensions else {
          throw layer.unsupported("a shape that is known only when the model runs")
        }
        wanted = dimensions
      }
      // A list of sizes stays one, or becomes its only one.
      if input.tensor == nil, case .dimensions(let dimensions, _, let type) = input,
        wanted.count <= 1,
        wanted.allSatisfy({ [-1, dimensions.count].contains($0.number) })
      {
        return [.dimensions(dimensions, isList: !wanted.isEmpty, as: type)]
      }
      return [try layer.reshape(input, to: wanted, keepsZeros: keepsZeros)]
    },
    "SpaceToDepth": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      guard block >= 1 else { throw layer.malformed("a SpaceToDepth in blocks of \(block)") }
      let operation = SpaceToDepth(block: block, layout: .channelsFirst)
      return [try layer.apply(operation, to: try layer.input())]
    },
    "Squeeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let given = try layer.integers(1, orSetting: "axes")
      if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input {
        return [.dimensions(dimensions, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        try given.map { (axes) throws(WeighbridgeError) in
          try layer.axes(axes, rank: shape.count)
        } ?? shape.indices.filter { shape[$0].value == 1 }
      return axes.isEmpty ? [input] : [try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "Transpose": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      let axes = try layer.integers("perm") ?? Array((0..<rank).reversed())
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed("the order \(axes) for \(layer.type(input))")
      }
      return [try layer.transposed(input, axes)]
    },
    "Unsqueeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard let given = try layer.integers(1, orSetting: "axes") else {
        throw layer.malformed("an Unsqueeze without axes")
      }
      if input.tensor == nil, case .dimensions(let dimensions, false, let type) = input {
        return [.dimensions(dimensions, isList: true, as: type)]
      }
      let axes = try layer.axes(given, rank: layer.type(input).rank + given.count)
      return [try layer.apply(ExpandDims(axes: axes), to: input)]
    },
  ]

  private static let parts: [String: ONNXLayer.Build] = [
    "Pad": { (layer) throws(WeighbridgeError) in try layer.pad() },
    "ReverseSequence": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let time = try layer.axis(of: input, named: "time_axis", default: 0)
      layer.ignore("batch_axis")
      guard let steps = layer.type(input).shape[time].value,
        layer.isEverywhere(try layer.input(1), steps)
      else { throw layer.unsupported("a ReverseSequence of different lengths") }
      return [try layer.apply(Reverse(axes: [time]), to: input)]
    },
    "Slice": { (layer) throws(WeighbridgeError) in try layer.slice() },
    "Split": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(of: input, default: 0)
      let count = try layer.integer("num_outputs") ?? layer.node.outputs.count
      if let sizes = try layer.integers(1, orSetting: "split") {
        return try layer.apply(Split(axis: axis, sizes: sizes), [input])
      }
      guard let dimension = layer.type(input).shape[axis].value, count >= 1, count <= dimension
      else {
        throw layer.unsupported("a Split of an open size")
      }
      let size = (dimension + count - 1) / count
      let last = dimension - size * (count - 1)
      guard last > 0 else { throw layer.malformed("\(count) parts of \(dimension) elements") }
      let sizes = [Int](repeating: size, count: count - 1) + [last]
      return try layer.apply(Split(axis: axis, sizes: sizes), [input])
    },
    "Tile": { (layer) throws(WeighbridgeError) in
      let (input, repeats) = (try layer.input(0), try layer.input(1))
      if case .dimensions(let dimensions, true, _) = repeats, repeats.tensor == nil {
        return [try layer.tiled(input, dimensions)]
      }
      guard let counts = try layer.constant(1)?.integers, counts.allSatisfy({ $0 >= 0 }) else {
        throw layer.malformed("a Tile without counts")
      }
      return [try layer.apply(Tile(counts: counts), to: input)]
    },
  ]
}

extension ONNXLayer {
  /// Channels that stand by channel and then by place in a block, put by place and then by channel.
  fileprivate mutating func placesFirst(
    _ input: ONNXValue, block: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let places = try Checked.product([block, block], of: "a block")
    guard let count = type(input).shape[1].value, count % places == 0 else {
      throw unsupported("a DepthToSpace of \(type(input)) in blocks of \(block)")
    }
    let channels = count / places
    let order = (0..<count).map { Double($0 % channels * places + $0 / channels) }
    let indices = own(Tensor(.int64, shape: [count], order), "channels")
    return try apply(Gather(axis: 1), to: input, indices, role: "order")
  }

  /// A value so many times along each axis; along one of 1 also an open number of times.
  fileprivate mutating func tiled(
    _ input: ONNXValue, _ counts: [ONNXDimension]
  ) throws(WeighbridgeError) -> ONNXValue {
    let shape = type(input).shape
    guard counts.count == shape.count,
      zip(counts, shape).allSatisfy({ $0.number.map { $0 >= 0 } ?? ($1.value == 1) })
    else { throw unsupported("a Tile whose counts are known only when the model runs") }
    let known = counts.map { $0.number ?? 1 }
    let tile = try apply(Tile(counts: known), to: input, role: "known")
    return try expanded(
      tile, to: .dimensions(counts.map { $0.number == nil ? $0 : .known(1) }, isList: true))
  }

  fileprivate mutating func reshape(
    _ input: ONNXValue, to wanted: [ONNXDimension], keepsZeros: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    if let steps = unfolding(input, wanted) {
      return try apply(UnflattenTime(), to: input, .computed(steps))
    }
    if let (input, operation) = repeating(input, wanted) {
      return try apply(operation, to: .computed(input))
    }
    let own = type(input).shape
    let wanted = restKnown(wanted, of: input)
    var dimensions: [ReshapeAxes.Size] = []
    for (position, dimension) in wanted.enumerated() {
      switch dimension {
      case .known(-1): dimensions.append(.rest)
      case .known(0) where !keepsZeros:
        guard position < own.count else { throw malformed("size \(position) of \(own)") }
        dimensions.append(own[position].value.map { .fixed($0) } ?? .axis(position))
      case .known(let number):
        guard number >= 0 else { throw malformed("a size of \(number)") }
        dimensions.append(.fixed(number))
      case .axis(let id, let axis, times: 1):
        dimensions.append(axisDimension(network.graph.type(of: id).shape[axis], id, axis, input))
      case .axis: dimensions.append(.rest)
      }
    }
    guard dimensions.count(where: { $0 == .rest }) <= 1 else {
      throw unsupported("a shape with several sizes that are known only when the model runs")
    }
    return try apply(Self.reshaping(own, to: dimensions), to: input)
  }

  /// A shape whose -1 is written as the number that it stands for, where the input's only open size is
  /// in the shape by itself, so that all others make up the rest.
  private func restKnown(_ wanted: [ONNXDimension], of input: ONNXValue) -> [ONNXDimension] {
    let own = type(input).shape
    let open = own.indices.filter { own[$0].value == nil }
    let rests = wanted.indices.filter { wanted[$0].number == -1 }
    let others = wanted.compactMap(\.number).filter { $0 > 0 }
    guard case .computed(let id) = input, open.count == 1, rests.count == 1,
      others.count == wanted.count - 2,
      let times = wanted.lazy.compactMap({ dimension -> Int? in
        guard case .axis(id, open[0], let times) = dimension else { return nil }
        return times
      }).first,
      let before = try? Checked.product(own.compactMap(\.value), of: "a size"),
      let after = try? Checked.product(others + [times], of: "a size"),
      after > 0, before % after == 0
    else { return wanted }
    var result = wanted
    result[rests[0]] = .known(before / after)
    return result
  }

  /// The value whose batch and steps the first axis is split into, where neither is known.
  private func unfolding(_ input: ONNXValue, _ wanted: [ONNXDimension]) -> ValueID? {
    let own = type(input).shape
    guard wanted.count == own.count + 1, wanted.count >= 2,
      case .axis(let id, 0, times: 1) = wanted[0],
      wanted[1] == .axis(id, 1, times: 1),
      wanted.dropFirst(2).map(\.number) == own.dropFirst().map(\.value)
    else { return nil }
    return id
  }

  /// The value whose elements are repeated along an axis, where the shape is that of the value with
  /// this axis so many times as long.
  private func repeating(
    _ input: ONNXValue, _ wanted: [ONNXDimension]
  ) -> (ValueID, Repeat)? {
    guard case .computed(let id) = input, let (before, axis, count) = network.repeated(id) else {
      return nil
    }
    let shape = network.graph.type(of: before).shape
    guard wanted.count == shape.count, count >= 1,
      wanted.indices.allSatisfy({ place in
        let times = place == axis ? count : 1
        guard let number = wanted[place].number else {
          return wanted[place] == .axis(before, place, times: times)
        }
        return shape[place].value.map { $0.multipliedReportingOverflow(by: times) }
          .map { !$0.overflow && $0.partialValue == number } ?? false
      })
    else { return nil }
    return (before, Repeat(axis: axis, count: count))
  }

  /// An open size as one of the input's own, or as what is left.
  private func axisDimension(
    _ dimension: Dimension, _ id: ValueID, _ axis: Int, _ input: ONNXValue
  ) -> ReshapeAxes.Size {
    if case .computed(id) = input { return .axis(axis) }
    let own = type(input).shape
    if dimension != .unknown, let place = own.firstIndex(of: dimension) { return .axis(place) }
    return .rest
  }

  /// The operator that keeps the batch, where the shape does.
  private static func reshaping(
    _ own: [Dimension], to dimensions: [ReshapeAxes.Size]
  ) -> any CatalogOperator {
    let keepsBatch =
      switch (dimensions.first, own.first?.value) {
      case (.axis(0)?, _): true
      case (.fixed(let dimension)?, let batch?): dimension == batch
      default: false
      }
    let rest = dimensions.dropFirst()
    let hasAxes = rest.contains { if case .axis = $0 { true } else { false } }
    guard keepsBatch, !hasAxes else { return ReshapeAxes(dimensions) }
    return Reshape(
      target: rest.map { if case .fixed(let dimension) = $0 { dimension } else { -1 } })
  }

  fileprivate mutating func pad() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let rank = type(input).rank
    let mode = try text("mode", default: "constant")
    let wraps = mode == "wrap"
    guard let kind = wraps ? .constant : Pad.Mode(rawValue: mode), kind != .symmetric else {
      throw unsupported("a Pad of the mode \(mode)")
    }
    guard var pads = try integers(1, orSetting: "pads") else {
      throw malformed("a Pad without pads")
    }
    let number = try number(2, orSetting: "value") ?? 0
    let given = try constant(3)?.integers
    let axes =
      try given.map { (axes) throws(WeighbridgeError) in
        try axes.map { (axis) throws(WeighbridgeError) in try self.axis(axis, rank: rank) }
      } ?? Array(0..<rank)
    guard pads.count == 2 * axes.count else {
      throw malformed("\(pads.count) numbers of padding for \(axes.count) axes")
    }
    if given != nil {
      var all = [Int](repeating: 0, count: 2 * rank)
      for (position, axis) in axes.enumerated() {
        all[axis] = pads[position]
        all[axis + rank] = pads[position + axes.count]
      }
      pads = all
    }
    if wraps { return [try wrapped(input, pads)] }
    let added = Pad(
      before: pads[..<rank].map { max(0, $0) }, after: pads[rank...].map { max(0, $0) }, mode: kind,
      number: kind == .constant ? number : 0)
    guard pads.contains(where: { $0 < 0 }) else { return [try apply(added, to: input)] }
    let ranges = (0..<rank).filter { pads[$0] < 0 || pads[$0 + rank] < 0 }.map { axis in
      Slice.Range(
        axis: axis, start: max(0, -pads[axis]),
        stop: pads[axis + rank] < 0 ? pads[axis + rank] : nil,
        step: 1)
    }
    return [try apply(added, to: try apply(Slice(ranges), to: input, role: "slice"))]
  }

  /// A value with what is at the other end of an axis in front of it and behind it.
  private mutating func wrapped(
    _ input: ONNXValue, _ pads: [Int]
  ) throws(WeighbridgeError) -> ONNXValue {
    let rank = type(input).rank
    let padded = (0..<rank).filter { pads[$0] != 0 || pads[$0 + rank] != 0 }
    var result = input
    for axis in padded {
      let (before, after) = (pads[axis], pads[axis + rank])
      guard let dimension = type(input).shape[axis].value, (0...dimension).contains(before),
        (0...dimension).contains(after)
      else { throw unsupported("a Pad of the mode wrap by \(before) and \(after)") }
      var parts = [result]
      if before > 0 {
        let end = Slice.Range(axis: axis, start: dimension - before, stop: nil, step: 1)
        parts.insert(try apply(Slice([end]), to: result, role: "end_\(axis)"), at: 0)
      }
      if after > 0 {
        let start = Slice.Range(axis: axis, start: 0, stop: after, step: 1)
        parts.append(try apply(Slice([start]), to: result, role: "start_\(axis)"))
      }
      let role = axis == padded.last ? "" : "axis_\(axis)"
      result = try apply(Concatenate(axis: axis), parts, role: role)[0]
    }
    return padded.isEmpty ? try apply(Identity(), to: input) : result
  }

  fileprivate mutating func slice() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    guard let starts = try integers(1, orSetting: "starts"),
      let stops = try integers(2, orSetting: "ends")
    else { throw malformed("a Slice without starts and ends") }
    let given = try integers(3, orSetting: "axes") ?? Array(starts.indices)
    let steps = try constant(4)?.integers ?? starts.map { _ in 1 }
    let rank = type(input).rank
    guard starts.count == stops.count, given.count == starts.count, steps.count == starts.count,
      !steps.contains(0)
    else { throw malformed("a Slice of \(starts), \(stops), \(given) and \(steps)") }
    _ = try axes(given, rank: rank)
    let ranges = given.indices.map { index in
      Slice.Range(
        axis: given[index] < 0 ? given[index] + rank : given[index],
        start: starts[index], stop: stops[index], step: steps[index])
    }.sorted { $0.axis < $1.axis }
    if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input,
      let range = ranges.first
    {
      let (start, count) = range.resolved(dimensions.count)
      let places = (0..<count).map { start + $0 * range.step }
      return [.dimensions(places.map { dimensions[$0] }, isList: true, as: type)]
    }
    return [try apply(Slice(ranges), to: input)]
  }
}
