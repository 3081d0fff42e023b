package import Bytes
package import GraphIR
package import JSON
import KerasFormat

extension JSONObject {
  /// The setting `trainable`; `nil` where it is not written.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is no boolean.
  func trainableFlag() throws(WeighbridgeError) -> Bool? {
    guard let value = self["trainable"], value != .null else { return nil }
    if let flag = value.bool { return flag }
    // Python takes them for booleans.
    if let number = value.integer, number == 0 || number == 1 { return number == 1 }
    throw .malformed("trainable is \(value.text()), and true or false is expected")
  }
}

/// Layers inside this one.
extension KerasLayer {
  /// The number type in which a layer inside another computes.
  package enum InnerTypeUse: Sendable {
    /// That of both, which must be equal.
    case equal
    /// Its own.
    case inner
    /// That of the layer around it.
    case outer
  }

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
  /// - Parameters:
  ///   - form: Its class and settings, as in this layer's settings.
  ///   - typeUse: Which of the two number types what follows computes in.
  /// - Returns: Its class, and its settings, none of them consumed yet.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none;
  ///   ``WeighbridgeError/Code/unsupported`` for a setting of this layer that was not taken, for a
  ///   custom class, and for one that computes in another number type.
  package mutating func unwrap(
    _ form: JSONValue?, _ typeUse: InnerTypeUse = .equal
  ) throws(WeighbridgeError) -> (className: String, settings: JSONObject) {
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
    // Before Keras 2.3, layers state a type only together with the shape of their input.
    let isStatedByInput =
      types == nil && version < KerasVersion(2, 3) && inner.policy?.compute == .float32
    let isEqual = isStatedByInput || inner.policy == types || inner.policy == nil
    guard isEqual || typeUse != .equal else {
      throw .unsupported(
        "wraps \(className), which computes in \(inner.policy?.compute.rawValue ?? "another type"), and "
          + "itself computes in \(types?.compute.rawValue ?? "that of its input"); they must be equal"
      )
    }
    if typeUse == .inner, !isStatedByInput { types = inner.policy ?? types }
    unreadSettings = inner.settings
    if try inner.settings.trainableFlag() == false { part.isFrozen = true }
    if let name = inner.settings["name"]?.string { part.wrapped.append(name) }
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
    let outer = (types, part)
    types = inner.policy
    if try inner.settings.trainableFlag() == false { part.isFrozen = true }
    let outputs = try addStep(role, settings: inner.settings) { (layer) throws(WeighbridgeError) in
      try build(&layer, layer.castInputs(inputs))
    }
    (types, part) = outer
    return outputs
  }
}
