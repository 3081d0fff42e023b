package import Bytes
package import GraphIR
package import JSON

/// A layer that stands for another one: steps with settings of their own, which share the layer's
/// weights.
extension KerasLayer {
  /// Takes all settings, and so crosses them off; null where they are null.
  package mutating func takeSettings() -> JSONObject {
    let settings = unreadSettings
    unreadSettings = [:]
    return settings
  }

  /// Goes on with other settings, as one step of what stands for this layer; the weights stay where
  /// they are.
  ///
  /// - Parameters:
  ///   - name: Stands before the roles of the step's nodes and weights; empty when the step is all
  ///     there is.
  ///   - body: Adds the step's nodes; it must read every setting.
  package mutating func addStep(
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

  /// A role, with the step it belongs to.
  func path(of role: String) -> String {
    step.isEmpty ? role : role.isEmpty ? step : "\(step)/\(role)"
  }

  /// Puts some of the weights that nobody took yet in front of the others, in the order given.
  ///
  /// - Parameters:
  ///   - wanted: How each is called, for messages.
  ///   - isMeant: Whether a weight is one of these, by its place among those left, from 0, and by
  ///     the last part of its name, without `:0`.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` unless each is another one, and only one;
  ///   ``WeighbridgeError/Code/unsupported`` where the weights are not known yet.
  package mutating func bringForward<Name>(
    _ wanted: [Name], called: (Name) -> String, where isMeant: (Name, Int, String) -> Bool
  ) throws(WeighbridgeError) {
    if wanted.isEmpty { return }
    guard placeholderLimit == nil else { throw namelessWeights }
    let names = unreadWeights.map { Self.shortName($0.path) }
    var order: [Int] = []
    for name in wanted {
      let meant = names.indices.filter { isMeant(name, $0, names[$0]) && !order.contains($0) }
      guard meant.count == 1 else {
        let found = names.isEmpty ? "none are left" : "left are \(names.joined(separator: ", "))"
        throw WeighbridgeError(
          .mismatch,
          "\(meant.isEmpty ? "no weight is" : "\(meant.count) weights are") called "
            + "\(called(name)); \(found)")
      }
      order += meant
    }
    let left = Array(unreadWeights)
    let rest = left.indices.filter { !order.contains($0) }
    unreadWeights = (order + rest).map { left[$0] }[...]
  }

  /// Takes the next weight, whatever its shape.
  ///
  /// - Parameters:
  ///   - role: What it is for the operator.
  ///   - rank: How many axes it gets at least: leading ones of extent 1 are added.
  package mutating func nextWeight(
    _ role: String, rank: Int = 0
  ) throws(WeighbridgeError) -> ValueID {
    guard placeholderLimit == nil else { throw namelessWeights }
    guard let shape = unreadWeights.first?.tensor.shape else {
      throw WeighbridgeError(.malformed, "the weight \(role) is missing in the file")
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

  /// The names and shapes of the weights that nobody took yet.
  package var remainingWeights: [(name: String, shape: [Int])] {
    unreadWeights.map { (Self.shortName($0.path), $0.tensor.shape) }
  }

  /// The last part of a weight's path, without `:0`.
  package static func shortName(_ path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(last.prefix { $0 != ":" })
  }

  /// The shape without the batch axis that a `Lambda` states for its output, if it does; its settings
  /// must not have been taken yet.
  package var lambdaShape: [Int?]? {
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
