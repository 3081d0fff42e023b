import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Reshape: KerasMapped {
  /// Keras: `Reshape`, `Flatten`.
  static let keras = KerasMapping([
    .plain("Reshape") { (layer, inputs) throws(WeighbridgeError) in
      let target = try layer.integerList("target_shape")
      let operation = Reshape(target: target)
      if let problem = operation.problem { throw .malformed(problem) }
      return try layer.add(operation, inputs)
    }.distributed(.inputs),
    .plain("Flatten", flatten).distributed(.inputs),
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    // TensorFlow.js does not derive a size from a batch that is not known, and Flatten takes 3 axes.
    let sizes = builder.outputType.shape.dropFirst().compactMap(\.value)
    let isKnown = sizes.count == operation.target.count
    guard builder.format == .tensorFlowJS, isKnown, operation.target.contains(-1) else {
      return try builder.layer("Reshape", ["target_shape": .integers(operation.target)])
    }
    return sizes.count == 1 && builder.type().rank > 2
      ? try builder.layer("Flatten")
      : try builder.layer("Reshape", ["target_shape": .integers(sizes)])
  }

  /// With `data_format=channels_first` (since 2.2), Keras flattens in channels-last order, so that
  /// the weights of the next layer fit either format.
  private static let flatten: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let layout = try layer.dataLayout()
    var values = inputs
    if layout == .channelsFirst, let rank = inputs.first.map({ layer.graph.type(of: $0).rank }),
      rank >= 3
    {
      let axes = DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
      values = try layer.add(Transpose(axes: axes), inputs, role: "transpose")
    }
    return try layer.add(Reshape(target: [-1]), values)
  }
}

extension RepeatVector: KerasMapped {
  /// Keras: `RepeatVector`.
  static let keras = KerasMapping([
    .plain("RepeatVector", shape: .repetition) { (layer, inputs) throws(WeighbridgeError) in
      let operation = RepeatVector(count: try layer.integer("n"))
      if let problem = operation.problem { throw .malformed(problem) }
      return try layer.add(operation, inputs)
    }.distributed(.inputs)
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.layer("RepeatVector", ["n": .integer(operation.count)])
  }
}

extension Transpose: KerasMapped {
  /// Keras: `Permute`, whose axes count from 1 and leave the batch axis out.
  static let keras = KerasMapping([
    .plain("Permute") { (layer, inputs) throws(WeighbridgeError) in
      let dims = try layer.integerList("dims")
      guard dims.sorted() == Array(1..<dims.count + 1) else {
        throw .malformed("dims=\(dims) is not an order of the axes 1 to \(dims.count)")
      }
      return try layer.add(Transpose(axes: [0] + dims), inputs)
    }.distributed(.inputs)
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.transposed(builder[0], operation.axes)
  }
}

extension Cropping: KerasMapped {
  /// Keras: `Cropping1D`, `Cropping2D`, `Cropping3D`. By default it crops nothing in two
  /// dimensions, and 1 at each end in one and three.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("Cropping", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let borders = try layer.borders("cropping", axes: axes, default: axes == 2 ? 0 : 1)
      let layout = axes == 1 ? .channelsLast : try layer.dataLayout()
      return try layer.add(Cropping(borders: borders, layout: layout), inputs)
    }.distributed(.inputs))
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.padOrCrop("Cropping", "cropping", operation.borders, builder[0])
  }
}

extension ZeroPadding: KerasMapped {
  /// Keras: `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("ZeroPadding", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let borders = try layer.borders("padding", axes: axes, default: 1)
      let layout =
        axes == 1 ? try layer.choice("data_format", default: .channelsLast) : try layer.dataLayout()
      return try layer.add(ZeroPadding(borders: borders, layout: layout), inputs)
    }.distributed(.inputs))
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.padOrCrop("ZeroPadding", "padding", operation.borders, builder[0])
  }
}

extension KerasLayer {
  /// Reads borders as Keras writes them: one number for all ends, `[before, after]` for one axis,
  /// or a number or a pair for each of several axes.
  mutating func borders(
    _ key: String, axes: Int, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Borders {
    guard let setting = take(key) ?? fallback.map(JSONValue.integer) else {
      throw .malformed("the setting \(key) is missing")
    }
    var entries = [JSONValue](repeating: setting, count: axes)
    if axes > 1, let list = setting.array { entries = list }
    let pairs = entries.compactMap(Self.pair)
    guard entries.count == axes, pairs.count == axes else {
      throw unexpected(
        key, setting, "a number or a pair of numbers for each of \(axes.counted("axis"))")
    }
    let borders = Borders(before: pairs.map(\.0), after: pairs.map(\.1))
    if let problem = borders.problem { throw .malformed(problem) }
    return borders
  }

  /// One number for both ends, or one for each.
  private static func pair(_ value: JSONValue) -> (Int, Int)? {
    if let number = value.integer { return (number, number) }
    guard let list = value.array, list.count == 2, let before = list[0].integer,
      let after = list[1].integer
    else { return nil }
    return (before, after)
  }
}
