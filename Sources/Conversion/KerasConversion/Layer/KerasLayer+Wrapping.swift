package import Bytes
package import GraphIR
package import JSON

/// Layers inside this one.
extension KerasLayer {
  /// Continues with the settings of the layer that this one wraps as `layer`; the weights stay the
  /// same.
  ///
  /// - Returns: The wrapped layer's class, and its settings, none of them consumed yet.
  /// - Throws: What ``unwrap(_:)`` throws.
  package mutating func unwrap() throws(WeighbridgeError) -> (
    className: String, settings: JSONObject
  ) {
    try unwrap(take("layer"))
  }

  /// Continues with the settings of a layer or cell inside this one; the weights stay the same.
  ///
  /// - Parameter form: Its class and settings, as in this layer's settings.
  /// - Returns: Its class, and its settings, none of them consumed yet.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none;
  ///   ``WeighbridgeError/Code/unsupported`` for a setting of this layer that was not taken, for a
  ///   custom class, and for one that computes in another number type.
  package mutating func unwrap(_ form: JSONValue?) throws(WeighbridgeError) -> (
    className: String, settings: JSONObject
  ) {
    guard let form = form?.object, let className = form["class_name"]?.string,
      let settings = form["config"]?.object
    else { throw .malformed("wraps no layer") }
    if let registered = form["registered_name"], registered != .null,
      registered != .string(className)
    {
      throw .unsupported("wraps \(className), which is registered as \(registered.text())")
    }
    try checkSettings()
    let inner = try KerasTypePolicy.separate(settings)
    guard inner.policy == types || inner.policy == nil else {
      throw .unsupported("wraps a layer that computes in another number type than it does itself")
    }
    unreadSettings = inner.settings
    isInnerFrozen = inner.settings["trainable"] == false
    return (className, inner.settings)
  }

  /// Adds the nodes of a layer given in the settings, such as an activation. It takes the next
  /// weights.
  ///
  /// - Parameters:
  ///   - settings: The inner layer's settings.
  ///   - role: The prefix of the roles of its nodes.
  ///   - build: The inner layer's builder.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting of it that was not read, and
  ///   what the builder throws.
  package mutating func addInner(
    _ settings: JSONObject, _ inputs: [ValueID], role: String, build: KerasMapping.Build
  ) throws(WeighbridgeError) -> [ValueID] {
    let inner = try KerasTypePolicy.separate(settings)
    let outer = (types, isInnerFrozen)
    types = inner.policy
    isInnerFrozen = isInnerFrozen || inner.settings["trainable"] == false
    let outputs = try addStep(role, settings: inner.settings) { (layer) throws(WeighbridgeError) in
      try build(&layer, layer.castInputs(inputs))
    }
    (types, isInnerFrozen) = outer
    return outputs
  }
}
