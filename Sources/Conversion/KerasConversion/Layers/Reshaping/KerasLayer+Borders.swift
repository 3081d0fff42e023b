import Bytes
import GraphIR
import JSON
import LayerCatalog

extension KerasLayer {
  /// Borders as Keras writes them: one number for all, for one axis `[before, after]`, for several
  /// axes a number or a pair each.
  mutating func borders(
    _ key: String, axes: Int, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Borders {
    guard let setting = take(key) ?? fallback.map(JSONValue.integer) else {
      throw WeighbridgeError(.malformed, "the setting \(key) is missing")
    }
    var entries = [JSONValue](repeating: setting, count: axes)
    if axes > 1, let list = setting.array { entries = list }
    let pairs = entries.compactMap(Self.pair)
    guard entries.count == axes, pairs.count == axes else {
      throw wrong(key, setting, "a number or a pair of numbers for each of \(axes) axes")
    }
    let borders = Borders(before: pairs.map(\.0), after: pairs.map(\.1))
    if let problem = borders.problem { throw WeighbridgeError(.malformed, problem) }
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
