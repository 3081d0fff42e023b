import Bytes
import GraphIR
import JSON

/// The replacement of a layer by steps, which have settings of their own and share its weights.
extension KerasLayer {
  /// Consumes and returns all settings, including null ones.
  mutating func takeSettings() -> JSONObject {
    let settings = unreadSettings
    unreadSettings = [:]
    return settings
  }

  /// Continues with other settings, as one step of this layer's replacement; the weights stay the
  /// same.
  ///
  /// - Parameters:
  ///   - name: The prefix of the roles of the step's nodes and weights; empty for a single step.
  ///   - body: Adds the step's nodes; it must read every setting.
  mutating func addStep(
    _ name: String, settings: JSONObject,
    _ body: (inout KerasLayer) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let outer = (step, unreadSettings)
    (step, unreadSettings) = (path(of: name), settings)
    let outputs = try body(&self)
    try checkSettings()
    (step, unreadSettings) = outer
    return outputs
  }

  /// A role, prefixed by the step it belongs to.
  func path(of role: String) -> String {
    step.isEmpty ? role : role.isEmpty ? step : "\(step)/\(role)"
  }

  /// Moves some of the remaining weights to the front, in the given order.
  ///
  /// - Parameters:
  ///   - requested: What identifies each of them.
  ///   - called: The name in messages.
  ///   - matches: Whether a weight is the requested one, given its index among the remaining ones
  ///     and a name: the last part of its path without `:0`, or its name within the layer.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` unless each matches exactly one weight, and a
  ///   different one; ``WeighbridgeError/Code/unsupported`` where the weights are not known yet.
  mutating func moveToFront<Name>(
    _ requested: [Name], called: (Name) -> String, where matches: (Name, Int, String) -> Bool
  ) throws(WeighbridgeError) {
    if requested.isEmpty { return }
    guard placeholderLimit == nil else { throw unknownWeights }
    let names = unreadWeights.map(\.localName)
    let lastParts = unreadWeights.map { Self.shortName($0.path) }
    var order: [Int] = []
    for name in requested {
      var matching = names.indices.filter {
        matches(name, $0, lastParts[$0]) && !order.contains($0)
      }
      if matching.count != 1 {
        let byPath = names.indices.filter { matches(name, $0, names[$0]) && !order.contains($0) }
        matching = byPath.isEmpty ? matching : byPath
      }
      guard matching.count == 1 else {
        let found = names.isEmpty ? "none are left" : "left are \(names.joined(separator: ", "))"
        throw .mismatch(
          "\(matching.isEmpty ? "no weight is" : "\(matching.count) weights are") called "
            + "\(called(name)); \(found)")
      }
      order += matching
    }
    let left = Array(unreadWeights)
    let rest = left.indices.filter { !order.contains($0) }
    unreadWeights = (order + rest).map { left[$0] }[...]
  }

  /// Lets a step take the weights of a layer inside this one, and no others.
  ///
  /// - Parameters:
  ///   - name: The inner layer's name, for messages.
  ///   - matches: Whether a path within the layer, such as `ffn/layers/dense`, is that of the inner
  ///     layer.
  ///   - order: The order in which its class takes its weights, given their names without that
  ///     path.
  ///   - body: Adds the step's nodes.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` unless there is exactly one such layer, and the
  ///   step takes all its weights; ``WeighbridgeError/Code/unsupported`` where the weights are not
  ///   known yet.
  mutating func withWeights(
    ofInner name: String, where matches: (String) -> Bool, order: ([String]) -> [Int],
    _ body: (inout KerasLayer) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard placeholderLimit == nil else { throw unknownWeights }
    let weights = Array(unreadWeights)
    let sublayerPaths = weights.map { weight in
      Self.sublayerPaths(of: weight.localName).first(where: matches)
    }
    let found = Set(sublayerPaths.compactMap { $0 })
    guard found.count == 1, let sublayer = found.first else {
      let known = Set(weights.flatMap { Self.sublayerPaths(of: $0.localName) }).sorted()
      throw .mismatch(
        "\(found.isEmpty ? "no sub-layer is" : "\(found.count) sub-layers are") called \(name); those "
          + "with weights that no step took are "
          + (known.isEmpty ? "none" : known.joined(separator: ", ")))
    }
    let own = weights.indices.filter { sublayerPaths[$0] == sublayer }
    let names = own.map { String(weights[$0].localName.dropFirst(sublayer.count + 1)) }
    unreadWeights = order(names).map { weights[own[$0]] }[...]
    let outputs = try body(&self)
    guard unreadWeights.isEmpty else {
      let left = unreadWeights.map { "\($0.localName) \($0.tensor.shape)" }
      throw .mismatch(
        "the step does not take all weights of \(sublayer): left are "
          + left.joined(separator: ", "))
    }
    unreadWeights = weights.indices.filter { sublayerPaths[$0] == nil }.map { weights[$0] }[...]
    return outputs
  }

  /// The paths of the sub-layers that contain a weight, from the outermost on.
  private static func sublayerPaths(of name: String) -> [String] {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.map { parts[...$0] }.filter { $0.last != "vars" }
      .map { $0.joined(separator: "/") }
  }

  /// Takes the next weight with the shape that it has.
  ///
  /// - Parameters:
  ///   - role: Its role for the operator.
  ///   - rank: Its minimum rank; leading axes of size 1 are added to reach it.
  mutating func nextWeight(
    _ role: String, rank: Int = 0
  ) throws(WeighbridgeError) -> ValueID {
    guard placeholderLimit == nil else { throw unknownWeights }
    guard let shape = unreadWeights.first?.tensor.shape else {
      throw .malformed("the weight \(role) is missing in the file")
    }
    let axes = [Int](repeating: 1, count: max(0, rank - shape.count)) + shape
    var uniqueRole = role
    var number = 2
    while requestedRoles.contains(path(of: uniqueRole)) {
      uniqueRole = "\(role)_\(number)"
      number += 1
    }
    return try weight(uniqueRole, shape: shape) { $0.reshaped(axes) }
  }

  /// The names and shapes of the remaining weights.
  var remainingWeights: [(name: String, shape: [Int])] {
    unreadWeights.map { (Self.shortName($0.path), $0.tensor.shape) }
  }

  /// The names within the layer and the shapes of the remaining weights.
  var remainingPaths: [(name: String, shape: [Int])] {
    unreadWeights.map { ($0.localName, $0.tensor.shape) }
  }

  /// The last part of a weight's path, without `:0`.
  static func shortName(_ path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(last.prefix { $0 != ":" })
  }

  /// The shape without the batch axis that a `Lambda` states for its output, if any; its settings
  /// must not have been taken yet.
  var lambdaShape: [Int?]? {
    guard source.className == "Lambda", let list = unreadSettings["output_shape"]?.array,
      [nil, .null, "raw"].contains(unreadSettings["output_shape_type"]), !list.isEmpty,
      list.allSatisfy({ $0 == .null || ($0.integer ?? 0) > 0 })
    else { return nil }
    return list.map(\.integer)
  }

  private var unknownWeights: WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "belongs to a nested model whose weights are stored as one list, so its own weights are not "
        + "known; a custom layer can be read there only if its settings determine its weights")
  }
}
