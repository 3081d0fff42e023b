import Bytes
import GraphIR
import JSON

/// A layer that is replaced by steps with settings of their own, which share the layer's weights.
extension KerasLayer {
  /// Takes all settings and so ticks them off, including null ones.
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
  ///   - wanted: The name of each, for messages.
  ///   - isMeant: Whether a weight matches, by its index among the remaining ones and by a name:
  ///     the last part of its name without `:0`, or its name within the layer.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` unless each matches exactly one weight, and a
  ///   different one; ``WeighbridgeError/Code/unsupported`` where the weights are not known yet.
  mutating func bringForward<Name>(
    _ wanted: [Name], called: (Name) -> String, where isMeant: (Name, Int, String) -> Bool
  ) throws(WeighbridgeError) {
    if wanted.isEmpty { return }
    guard placeholderLimit == nil else { throw namelessWeights }
    let names = unreadWeights.map(\.localName)
    let lastParts = unreadWeights.map { Self.shortName($0.path) }
    var order: [Int] = []
    for name in wanted {
      var meant = names.indices.filter { isMeant(name, $0, lastParts[$0]) && !order.contains($0) }
      if meant.count != 1 {
        let others = names.indices.filter { isMeant(name, $0, names[$0]) && !order.contains($0) }
        meant = others.isEmpty ? meant : others
      }
      guard meant.count == 1 else {
        let found = names.isEmpty ? "none are left" : "left are \(names.joined(separator: ", "))"
        throw .mismatch(
          "\(meant.isEmpty ? "no weight is" : "\(meant.count) weights are") called "
            + "\(called(name)); \(found)")
      }
      order += meant
    }
    let left = Array(unreadWeights)
    let rest = left.indices.filter { !order.contains($0) }
    unreadWeights = (order + rest).map { left[$0] }[...]
  }

  /// Lets a step take the weights of a layer inside this one, and no others.
  ///
  /// - Parameters:
  ///   - name: The inner layer's name, for messages.
  ///   - isMeant: Whether a path within the layer, such as `ffn/layers/dense`, is the inner layer's.
  ///   - order: The order in which its class takes its weights, given their names without that
  ///     path.
  ///   - body: Adds the step's nodes.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` unless there is one such layer, and the step takes
  ///   all its weights; ``WeighbridgeError/Code/unsupported`` where the weights are not known yet.
  mutating func withWeights(
    ofInner name: String, where isMeant: (String) -> Bool, order: ([String]) -> [Int],
    _ body: (inout KerasLayer) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard placeholderLimit == nil else { throw namelessWeights }
    let weights = Array(unreadWeights)
    let owners = weights.map { weight in Self.owners(of: weight.localName).first(where: isMeant) }
    let found = Set(owners.compactMap { $0 })
    guard found.count == 1, let owner = found.first else {
      let known = Set(weights.flatMap { Self.owners(of: $0.localName) }).sorted()
      throw .mismatch(
        "\(found.isEmpty ? "no sub-layer is" : "\(found.count) sub-layers are") called \(name); those "
          + "with weights that no step took are "
          + (known.isEmpty ? "none" : known.joined(separator: ", ")))
    }
    let own = weights.indices.filter { owners[$0] == owner }
    let names = own.map { String(weights[$0].localName.dropFirst(owner.count + 1)) }
    unreadWeights = order(names).map { weights[own[$0]] }[...]
    let outputs = try body(&self)
    guard unreadWeights.isEmpty else {
      let left = unreadWeights.map { "\($0.localName) \($0.tensor.shape)" }
      throw .mismatch(
        "the step does not take all weights of \(owner): left are "
          + left.joined(separator: ", "))
    }
    unreadWeights = weights.indices.filter { owners[$0] == nil }.map { weights[$0] }[...]
    return outputs
  }

  /// The paths of the sub-layers that contain a weight, from the outermost on.
  private static func owners(of name: String) -> [String] {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.map { parts[...$0] }.filter { $0.last != "vars" }
      .map { $0.joined(separator: "/") }
  }

  /// Takes the next weight, whatever its shape.
  ///
  /// - Parameters:
  ///   - role: Its role for the operator.
  ///   - rank: Its minimum rank: leading axes of size 1 are added.
  mutating func nextWeight(
    _ role: String, rank: Int = 0
  ) throws(WeighbridgeError) -> ValueID {
    guard placeholderLimit == nil else { throw namelessWeights }
    guard let shape = unreadWeights.first?.tensor.shape else {
      throw .malformed("the weight \(role) is missing in the file")
    }
    let axes = [Int](repeating: 1, count: max(0, rank - shape.count)) + shape
    var unused = role
    var number = 2
    while requestedRoles.contains(path(of: unused)) {
      unused = "\(role)_\(number)"
      number += 1
    }
    return try weight(unused, shape: shape) { $0.reshaped(axes) }
  }

  /// The names and shapes of the remaining weights.
  var remainingWeights: [(name: String, shape: [Int])] {
    unreadWeights.map { (Self.shortName($0.path), $0.tensor.shape) }
  }

  /// The same, with the names within the layer.
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

  private var namelessWeights: WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "is inside a model in the model whose weights stand in one list, so that its own are not "
        + "known; of layers that are not Keras' own, those can be read there whose weights follow "
        + "from their settings")
  }
}
