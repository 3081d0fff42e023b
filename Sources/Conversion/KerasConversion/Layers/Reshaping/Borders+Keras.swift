import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Cropping: KerasMapped {
  /// Keras: `Cropping1D`, `Cropping2D`, `Cropping3D`. In two dimensions it crops nothing unless
  /// told to, in one and three 1 at each end.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("Cropping", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let borders = try layer.borders("cropping", axes: axes, default: axes == 2 ? 0 : 1)
      let layout = axes == 1 ? .channelsLast : try layer.dataLayout()
      return try layer.add(Cropping(borders: borders, layout: layout), inputs)
    })
  static let kerasRow: KerasRow? = KerasRow(Cropping.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.bordered("Cropping", "cropping", operation.borders, builder[0])
  }
}

extension ZeroPadding: KerasMapped {
  /// Keras: `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("ZeroPadding", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      let borders = try layer.borders("padding", axes: axes, default: 1)
      let layout =
        axes == 1 ? try layer.word("data_format", default: .channelsLast) : try layer.dataLayout()
      return try layer.add(ZeroPadding(borders: borders, layout: layout), inputs)
    })
  static let kerasRow: KerasRow? = KerasRow(ZeroPadding.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.bordered("ZeroPadding", "padding", operation.borders, builder[0])
  }
}

extension KerasLayer {
  /// Borders as Keras writes them: one number for all, for one axis `[before, after]`, for several
  /// axes a number or a pair each.
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
      throw wrong(key, setting, "a number or a pair of numbers for each of \(axes) axes")
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
