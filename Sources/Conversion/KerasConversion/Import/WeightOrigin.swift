import Bytes
import KerasFormat

/// Inferences from the names of weights about the model that they belong to.
enum WeightOrigin {
  /// Notes on the weight groups of a Keras file.
  static func notes(_ groups: [KerasWeightGroup]) -> [String] {
    let layers = groups.filter { !$0.weights.isEmpty }
    var notes = ["\(groups.count.counted("layer")), \(layers.count) of them with weights"]
    let kinds = layers.compactMap { kind($0.layerName) }
    if kinds.count == layers.count, !kinds.isEmpty {
      let counts = Dictionary(grouping: kinds) { $0 }.mapValues(\.count)
      let list = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value) \($0.key)" }
      notes.append("by the layers' names: " + list.joined(separator: ", "))
    }
    return notes
  }

  /// The class after which Keras named a layer: `conv2d` of `conv2d_12`; `nil` for other names.
  private static func kind(_ name: String) -> String? {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    let digits = last.reversed().prefix(while: \.isNumber).count
    let stem = digits > 0 ? last.dropLast(digits) : last[...]
    let base = stem.hasSuffix("_") ? stem.dropLast() : stem
    return [last, String(base)].first(where: names.contains)
  }

  /// The names that Keras derives from its layer classes.
  private static let names = Set(
    Keras1Class.names.union(KerasMappings.classes.keys).map(KerasObjectNames.snakeCase))
}
